/* html.c - see html.h.
 * SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "base/json.h"

#include <string.h>

/* clang-format off */
static const char style[] =
    ":root{color-scheme:light dark;--fg:#1c2430;--muted:#5d6878;--bg:#fbfcfd;--card:#fff;--line:#dde3ea;"
    "--accent:#2f6fb2;--head:rgba(64,104,152,.07);--row:rgba(64,104,152,.035);--shade:rgba(28,36,48,.22)}"
    "@media(prefers-color-scheme:dark){:root{--fg:#e3e8ef;--muted:#98a3b3;--bg:#12161c;--card:#1a2028;--line:#2c3541;"
    "--accent:#7ab4ef;--head:rgba(150,180,220,.09);--row:rgba(150,180,220,.045);--shade:rgba(0,0,0,.7)}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Helvetica Neue',sans-serif}"
    "main{max-width:1200px;margin:0 auto;padding:40px 24px 72px}"
    "header{border-bottom:1px solid var(--line);padding-bottom:20px;margin-bottom:28px}"
    "h1{font-size:28px;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}"
    "h2{font-size:20px;margin:44px 0 12px;letter-spacing:-.005em}"
    "h3{font-size:15px;margin:28px 0 8px}"
    "p{margin:0 0 12px;max-width:76ch}"
    ".sub,.note,figcaption span{color:var(--muted)}"
    ".note{font-size:13px;margin:8px 0 0}"
    /* a table that goes on past an edge has a shadow there: the cards over the shadows scroll along, the shadows do not */
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:"
    "linear-gradient(90deg,var(--card) 40%,transparent) 0 0/48px 100% local,"
    "linear-gradient(270deg,var(--card) 40%,transparent) 100% 0/48px 100% local,"
    "linear-gradient(90deg,var(--shade),transparent) 0 0/16px 100% scroll,"
    "linear-gradient(270deg,var(--shade),transparent) 100% 0/16px 100% scroll,var(--card);background-repeat:no-repeat}"
    ".scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}"
    "table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}"
    "th,td{padding:8px 12px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}"
    "th{background:var(--head);font-weight:600;font-size:13px}"
    "tbody tr:last-child td{border-bottom:0}tbody tr:nth-child(even){background:var(--row)}"
    "td.wide{white-space:normal;min-width:22em;overflow-wrap:anywhere}"
    ".num{text-align:right}td.lead{font-weight:650}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr));gap:12px;margin:0 0 8px}"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px}"
    ".card b{display:block;font-size:22px;line-height:1.3;font-weight:650}"
    ".card span{color:var(--muted);font-size:13px}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(320px,1fr));gap:16px}"
    "figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}"
    "figure.full{grid-column:1/-1}"
    "figcaption{font-size:13px;font-weight:600;margin-bottom:6px}figcaption span{font-weight:400;display:block}"
    "svg{display:block;max-width:100%;height:auto}"
    "details{margin:8px 0}summary{cursor:pointer;color:var(--accent)}"
    "code,pre{font:13px/1.5 ui-monospace,'SFMono-Regular',Menlo,Consolas,monospace}"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;overflow-x:auto;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    /* paper does not scroll: cells break their lines, long tables go on with their header on the next page */
    "@page{margin:14mm}"
    "@media print{:root{color-scheme:light;--fg:#000;--muted:#444;--bg:#fff;--card:#fff;--line:#bbb;--accent:#000;"
    "--head:#eee;--row:transparent}body{font-size:11px}main{max-width:none;padding:0 1px}h1{font-size:22px}"
    "h2{font-size:16px;margin-top:24px}h3{font-size:13px}h2,h3,summary{break-after:avoid}"
    ".scroll{overflow:visible;border:0;border-radius:0;background:none}table{font-size:10px}"
    "th,td{white-space:normal;padding:3px 5px}td.num{white-space:nowrap}th{font-size:10px}td.wide{min-width:0}"
    "tr,figure,.card{break-inside:avoid}.pictures{grid-template-columns:repeat(3,1fr);gap:8px}"
    ".cards{grid-template-columns:repeat(6,minmax(0,1fr));gap:6px}.card{padding:6px 8px}"
    ".card b{font-size:15px}.card span,.note,figcaption{font-size:10px}}";
/* clang-format on */

static const char *entity(char ch)
{
    switch (ch) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    }
    return NULL;
}

static bool printable(const char *p, int n)
{
    return n > 1 || (n == 1 && (((unsigned char)*p >= 0x20 && *p != 0x7F) || *p == '\n' || *p == '\t'));
}

void mp_html_text(mp_buf *b, const char *s)
{
    for (size_t left = strlen(s); left > 0;) {
        int n = mp_utf8_length(s, left);
        const char *e = entity(*s);
        if (e)
            mp_buf_puts(b, e);
        else if (printable(s, n))
            mp_buf_add(b, s, (size_t)n);
        else
            mp_buf_puts(b, "\xEF\xBF\xBD");
        size_t step = n ? (size_t)n : 1;
        s += step;
        left -= step;
    }
}

static void element(mp_buf *b, const char *open, const char *text, const char *close)
{
    mp_buf_puts(b, open);
    mp_html_text(b, text);
    mp_buf_puts(b, close);
}

void mp_html_begin(mp_buf *b, const char *title, const char *subtitle)
{
    element(b,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
            title, "</title>\n");
    mp_buf_puts(b, "<style>");
    mp_buf_puts(b, style);
    mp_buf_puts(b, "</style>\n</head>\n<body>\n<main>\n<header>\n");
    element(b, "<h1>", title, "</h1>\n");
    if (subtitle) element(b, "<p class=\"sub\">", subtitle, "</p>\n");
    mp_buf_puts(b, "</header>\n");
}

void mp_html_end(mp_buf *b)
{
    mp_buf_puts(b, "</main>\n</body>\n</html>\n");
}

void mp_html_heading(mp_buf *b, int level, const char *text)
{
    element(b, level == 2 ? "<h2>" : "<h3>", text, level == 2 ? "</h2>\n" : "</h3>\n");
}

void mp_html_para(mp_buf *b, const char *text)
{
    element(b, "<p>", text, "</p>\n");
}

void mp_html_note(mp_buf *b, const char *text)
{
    element(b, "<p class=\"note\">", text, "</p>\n");
}

/* A column of long texts may break its lines. */
static const char *cell_class(const mp_table *t, int column)
{
    if (mp_table_is_number(t, column)) return column + 1 == t->lead ? " class=\"num lead\"" : " class=\"num\"";
    for (int r = 0; r < mp_table_rows(t); r++)
        if (mp_text_width(mp_table_cell(t, r, column)) > 40) return " class=\"wide\"";
    return "";
}

void mp_html_table(mp_buf *b, const mp_table *t)
{
    int rows = mp_table_rows(t);
    if (t->title) mp_html_heading(b, 3, t->title);
    element(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", t->title ? t->title : "",
            " table, scrolls sideways where it is wide\"><table>\n<thead><tr>");
    for (int c = 0; c < t->columns; c++) {
        mp_buf_puts(b, mp_table_is_number(t, c) ? "<th scope=\"col\" class=\"num\">" : "<th scope=\"col\">");
        element(b, "", t->header[c], "</th>");
    }
    mp_buf_puts(b, "</tr></thead>\n<tbody>\n");
    for (int r = 0; r < rows; r++) {
        mp_buf_puts(b, "<tr>");
        for (int c = 0; c < t->columns; c++) {
            mp_buf_printf(b, "<td%s>", cell_class(t, c));
            element(b, "", mp_table_cell(t, r, c), "</td>");
        }
        mp_buf_puts(b, "</tr>\n");
    }
    mp_buf_puts(b, "</tbody>\n</table></div>\n");
    if (t->note) mp_html_note(b, t->note);
}

void mp_html_picture(mp_buf *b, const char *title, const char *note, const char *svg)
{
    element(b, "<figure><figcaption>", title, "");
    if (note) element(b, "<span>", note, "</span>");
    mp_buf_puts(b, "</figcaption>\n");
    mp_buf_puts(b, svg);
    mp_buf_puts(b, "</figure>\n");
}
