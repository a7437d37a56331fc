/* config.h - moved to conf/config.h. */
#include "conf/config.h"
#ifndef MP_CONFIG_CHECK
#define MP_CONFIG_CHECK
MP_MUST mp_err mp_config_check(mp_config *c);
#endif
