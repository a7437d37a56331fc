# Headers of src stand side by side in midpool/ once they are installed.
s|^#include "[a-z]*/\([a-z0-9_]*\.h\)"|#include "midpool/\1"|
