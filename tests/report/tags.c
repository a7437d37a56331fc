/* tags.c - see tags.h.
 * SPDX-License-Identifier: MIT */
#include "tags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 64, NAME = 24 };

typedef struct checker {
    const char *p;
    char open[DEEP][NAME];
    int depth;
} checker;

static bool is_void(const char *name)
{
    static const char *const names[] = { "meta", "br", "!DOCTYPE", NULL };
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static void read_name(checker *c, char name[NAME])
{
    int n = 0;
    while (*c->p && !strchr(" \t\n/>", *c->p) && n < NAME - 1) name[n++] = *c->p++;
    name[n] = '\0';
}

/* Skips attributes up to '>'. Sets *self when the tag ends in "/>". */
static const char *skip_attributes(checker *c, bool *self)
{
    *self = false;
    for (; *c->p && *c->p != '>'; c->p++) {
        if (*c->p == '<') return "'<' inside a tag";
        *self = *c->p == '/';
        if (*c->p != '"') continue;
        const char *end = strchr(c->p + 1, '"');
        if (!end) return "attribute without its closing quote";
        if (memchr(c->p, '<', (size_t)(end - c->p))) return "'<' inside an attribute";
        c->p = end;
    }
    if (!*c->p) return "tag without '>'";
    c->p++;
    return NULL;
}

static const char *close_tag(checker *c)
{
    char name[NAME];
    bool self;
    read_name(c, name);
    if (c->depth == 0 || strcmp(c->open[c->depth - 1], name) != 0) return "closing tag without its opening tag";
    c->depth--;
    return skip_attributes(c, &self);
}

static const char *open_tag(checker *c)
{
    char name[NAME];
    bool self;
    read_name(c, name);
    if (name[0] == '\0') return "'<' without a name";
    if (strcmp(name, "script") == 0 || strcmp(name, "link") == 0 || strcmp(name, "img") == 0)
        return "forbidden element";
    const char *bad = skip_attributes(c, &self);
    if (bad || self || is_void(name)) return bad;
    if (c->depth == DEEP) return "nested too deeply";
    snprintf(c->open[c->depth++], NAME, "%s", name);
    if (strcmp(name, "style") == 0) { /* its text is not markup */
        c->p = strstr(c->p, "</style>");
        if (!c->p) return "style without its end";
    }
    return NULL;
}

static const char *check_entity(checker *c)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;", NULL };
    for (int i = 0; known[i]; i++)
        if (strncmp(c->p, known[i], strlen(known[i])) == 0) {
            c->p++;
            return NULL;
        }
    return "'&' that is not an entity";
}

const char *tags_check(const char *html, char near[32])
{
    checker c = { .p = html };
    const char *bad = NULL, *at = html;
    while (*c.p && !bad) {
        at = c.p;
        if (*c.p == '&')
            bad = check_entity(&c);
        else if (*c.p != '<')
            c.p++;
        else if (c.p[1] == '/') {
            c.p += 2;
            bad = close_tag(&c);
        } else {
            c.p++;
            bad = open_tag(&c);
        }
        if (!c.p) c.p = at;
    }
    if (!bad && c.depth) bad = "an element is not closed";
    snprintf(near, 32, "%s", at);
    return bad;
}

const char *tags_check_page(const char *html, char near[32])
{
    const char *from = strstr(html, "<script>\n"), *to = from ? strstr(from, "</script>") : NULL;
    near[0] = '\0';
    if (!to || strcmp(to, "</script>\n</body>\n</html>\n") != 0) return "no script at the end";
    char *rest = strdup(html); /* without the script, whose text is not markup */
    if (!rest) return "no memory";
    strcpy(rest + (from - html), to + strlen("</script>\n"));
    const char *bad = tags_check(rest, near);
    free(rest);
    return bad;
}
