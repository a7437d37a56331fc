/* xml.h - a text in XML, tag by tag: as much of it as formats of graphs use, and strictly.
 *
 * Elements, attributes, text, CDATA, comments, processing instructions; the five named entities and numbers of characters. UTF-8
 * only. A document type is refused, so there are no other entities, and a text never grows by being read. Names are without
 * the prefix of their name space; `prefixed` says that there was one.
 * SPDX-License-Identifier: MIT */
#ifndef MP_XML_H
#define MP_XML_H

#include "base/text.h"

#define MP_XML_DEPTH      64 /* elements inside each other */
#define MP_XML_ATTRIBUTES 64 /* of one element */

typedef enum mp_xml_kind { MP_XML_OPEN, MP_XML_CLOSE, MP_XML_TEXT, MP_XML_END } mp_xml_kind;

typedef struct mp_xml_pair {
    mp_span name, value; /* name with its prefix; value without entities */
} mp_xml_pair;

typedef struct mp_xml_event {
    mp_xml_kind kind;
    mp_span name;  /* of an element */
    bool prefixed; /* it is of another name space */
    mp_span text;  /* MP_XML_TEXT: without entities; one text may come in several pieces */
    int attributes;
    mp_xml_pair attribute[MP_XML_ATTRIBUTES];
    int64_t line;
} mp_xml_event;

typedef struct mp_xml {
    const char *file; /* opens messages */
    const char *p, *end;
    int64_t line;
    int depth;
    mp_span open[MP_XML_DEPTH]; /* names of the elements that are open, with their prefixes */
    bool empty;                 /* the element that was opened last ends at once */
    bool done;                  /* the one outermost element has ended */
} mp_xml;

/* The text must stay. Fails where it is not UTF-8, or says that it is something else. */
MP_MUST mp_err mp_xml_open(mp_xml *x, mp_span text, const char *file);

/* What comes next; what it points to is in the text or the arena. A text of nothing but blanks comes, too; not outside of elements. */
MP_MUST mp_err mp_xml_next(mp_xml *x, mp_arena *a, mp_xml_event *out);

/* The value of an attribute; p NULL: it has none. */
mp_span mp_xml_get(const mp_xml_event *e, const char *name);

/* A text as it is written: characters that mean something else as entities. */
void mp_xml_put(mp_buf *b, mp_span text);

#endif
