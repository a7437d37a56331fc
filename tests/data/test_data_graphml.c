/* test_data_graphml.c - GraphML as programs write it: what keys become, folders of files, and what is refused.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/format.h"
#include "data/graphml.h"
#include "data/load.h"

#define HEAD                                                                                                           \
    "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"              \
    "<key id='d0' for='node' attr.name='kind' attr.type='string'><default>C</default></key>\n"                         \
    "<key id='d1' for='node' attr.name='w' attr.type='double'/>\n"                                                     \
    "<key id='d2' for='edge' attr.name='weight' attr.type='long'/>\n"                                                  \
    "<key id='d3' for='graph' attr.name='y' attr.type='string'/>\n"                                                    \
    "<key id='d4' for='node' attr.name='ring' attr.type='boolean'/>\n"
#define NODE(id, w, ring) "<node id='" id "'><data key='d1'>" w "</data><data key='d4'>" ring "</data></node>\n"
#define GRAPH                                                                                                          \
    "<graph edgedefault='directed'><data key='d3'>good</data>\n"                                                       \
    "<edge source='a' target='b'><data key='d2'>3</data></edge>\n" NODE(                                               \
        "a", "0.5", "True") "<node id='b'><data key='d0'> N </data><data key='d1'>0</data><data "                      \
                            "key='d4'>false</data></node></graph>\n"
#define END "</graphml>\n"

static mp_err parse_as(const mp_dataset_as *as, const char *text, mp_arena *a, mp_raw *out, mp_graphml_set *set)
{
    mp_arena *scratch = mp_arena_new(1 << 12);
    mp_frame *f = mp_frame_new(as, scratch);
    mp_err e = mp_graphml_parse(mp_span_of(text), "f.graphml", NULL, f, scratch, a, set);
    if (e == MP_OK) e = mp_frame_finish(f, "f.graphml", a, out);
    mp_arena_free(scratch); /* nothing of it is needed any more */
    return e;
}

static mp_err parse(const char *text, mp_arena *a, mp_raw *out)
{
    static const mp_dataset_as all = { .edges = true };
    mp_graphml_set set;
    return parse_as(&all, text, a, out, &set);
}

/* By hand: kind has C and N, of which C is the default; of w and ring zeros are not stored. */
static void keys_become_features_by_their_types(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse(HEAD GRAPH END, a, &raw));
    assert_int_equal(raw.graphs.graphs, 1);
    assert_int_equal(raw.graphs.nodes, 2);
    assert_int_equal(raw.graphs.edges, 2);
    assert_int_equal(raw.label_columns, 1);
    assert_int_equal(raw.labels[0], 0);
    assert_int_equal(raw.labels[1], 1);
    assert_string_equal(raw.names->word[0][1], "N");
    assert_int_equal(raw.attributes.cols, 2);
    assert_int_equal(raw.attributes.ptr[1], 2);
    assert_int_equal(raw.attributes.ptr[2], 2);
    assert_true(raw.attributes.val[0] == (mp_real)0.5 && raw.attributes.val[1] == 1);
    assert_int_equal(raw.edge_attributes.cols, 1);
    assert_true(raw.edge_attributes.val[0] == 3 && raw.edge_attributes.val[1] == 3);
    assert_string_equal(raw.class_name[0], "good");
    assert_int_equal(raw.line[0], 8);
}

static void several_graphs_are_called_by_their_ids_or_numbers(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse("<graphml><graph id='G'><node id='n'/></graph><graph id='G'><node id='n'/></graph>"
                "<graph><node id='n'/><node id='m'/><edge source='n' target='m'/></graph></graphml>",
                a, &raw));
    assert_int_equal(raw.graphs.graphs, 3);
    assert_string_equal(raw.id[0], "G");
    assert_string_equal(raw.id[1], "1");
    assert_string_equal(raw.id[2], "2");
}

/* As yEd and Gephi write it: drawings, resources, keys without names, descriptions. */
static void what_other_programs_add_is_passed_over(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!--made by hand-->\n"
                "<graphml xmlns=\"u\" xmlns:y=\"v\"><desc>all</desc>"
                "<key for='port' id='d0' yfiles.type='portgraphics'/>"
                "<key attr.name='Description' attr.type='string' for='graph' id='d1'/>"
                "<key for='node' id='d2' yfiles.type='nodegraphics'><default><y:Fill/></default></key>"
                "<key attr.name='size' attr.type='float' for='node' id='s'><desc>d</desc></key>"
                "<graph edgedefault='directed' id='G'><desc>x</desc><data key='d1' xml:space='preserve'/>"
                "<node id='n0'><data key='d2'><y:ShapeNode><y:Geometry x='1'/>text</y:ShapeNode></data><data "
                "key='s'>2</data><port name='p'/></node>"
                "</graph><data key='d0'><y:Resources/></data></graphml>",
                a, &raw));
    assert_int_equal(raw.attributes.cols, 1);
    assert_int_equal(raw.label_columns, 0);
    assert_int_equal(raw.notes, 1);
}

static void what_is_wrong_is_said_with_file_and_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "<gexf/>", "f.graphml:1: expected <graphml>" },
        { "<graphml>\n</graphml>", "f.graphml: holds no <graph>" },
        { "<graphml><graph/></graphml>", "f.graphml:1: graph '0' has no nodes" },
        { HEAD "<graph>\n<node/></graph>" END, "f.graphml:9: <node> needs the attribute id" },
        { HEAD "<graph><node id='a'>\n<data key='d9'>1</data></node></graph>" END,
          "f.graphml:9: no <key> before has the id 'd9'" },
        { HEAD "<graph>\n<data key='d1'>1</data></graph>" END, "f.graphml:9: the key 'd1' is not for graphs" },
        { HEAD "<graph><node id='a'>\n<data key='d1'>x</data></node></graph>" END,
          "f.graphml:9: column 'w': expected a number, got 'x'" },
        { HEAD "<graph><node id='a'>\n<data key='d1'><b/></data></node></graph>" END,
          "f.graphml:9: expected text, got an element" },
        { HEAD "<graph>\n<node id='a'><data key='d1'>1</data><data key='d1'>1</data></node></graph>" END,
          "f.graphml:9: 'w' is there twice" },
        { HEAD "<graph>" NODE("a", "1", "true") "<node id='b'/></graph>" END,
          "f.graphml:9: the node has no 'w', as others have" },
        { HEAD "<graph>" NODE("a", "1", "true") NODE("a", "1", "true") "</graph>" END,
          "f.graphml:9: node 'a' of graph '0' is there twice" },
        { HEAD "<graph>" NODE("a", "1", "true") "<edge source='a'/></graph>" END,
          "f.graphml:9: <edge> needs the attribute target" },
        { HEAD "<graph>" NODE("a", "1", "true") "<edge source='a' target='c'/></graph>" END,
          "f.graphml:9: the edge joins node 'c'" },
        { HEAD "<graph>\n<hyperedge/></graph>" END, "f.graphml:9: <hyperedge> in <graph> is not read" },
        { HEAD "<graph>\n<node id='a'><graph/></node></graph>" END, "f.graphml:9: <graph> in <node> is not read" },
        { "<graphml>\n<key id='a' attr.type='word'/></graphml>", "f.graphml:2: attr.type: expected boolean" },
        { "<graphml><key id='a'/>\n<key id='a'/></graphml>", "f.graphml:2: a key of that id is there already" },
        { "<graphml>\nx</graphml>", "f.graphml:1: expected an element, got text" },
        { "<graphml><key id='s' for='graphml' attr.name='dataset' attr.type='string'/>\n<data "
          "key='s'>a/b</data></graphml>",
          "dataset: expected a name" },
    };
    mp_arena *a = *state;
    mp_raw raw;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) FAILS(parse(cases[i].text, a, &raw), cases[i].message);
}

static void put_file(const char *folder, const char *name, const char *text, mp_arena *a)
{
    WORKS(mp_write_file(mp_arena_printf(a, "%s/%s", folder, name), text, strlen(text)));
}

static void a_folder_of_files_is_a_set_in_the_order_of_their_names(void **state)
{
    mp_arena *a = *state;
    const char *top = new_folder(a), *path;
    static const mp_dataset_as all = { .edges = true };
    mp_raw raw;
    put_file(top, "b.graphml", HEAD "<graph><data key='d3'>bad</data>" NODE("x", "2", "0") "</graph>" END, a);
    put_file(top, "a.graphml", HEAD GRAPH "<graph><data key='d3'>bad</data>" NODE("x", "1", "1") "</graph>" END, a);
    put_file(top, "README", "not a graph", a);
    WORKS(mp_dataset_raw(top, NULL, &all, a, &raw, &path));
    assert_int_equal(raw.graphs.graphs, 3);
    assert_string_equal(raw.id[0], "a");
    assert_string_equal(raw.id[1], "a:1");
    assert_string_equal(raw.id[2], "b");
    static const int64_t label[] = { 1, 0, 0 };
    assert_memory_equal(raw.graph_label, label, sizeof label);
    assert_non_null(strstr(raw.file_of[2], "/b.graphml"));
    put_file(top, "c.graphml", HEAD "<graph>\n<node id='x'/></graph>" END, a);
    FAILS(mp_dataset_raw(top, NULL, &all, a, &raw, &path), "/c.graphml:9: the node has no 'w', as others have");
    put_file(top, "c.graphml", "<graphml>\n<key id='k' for='node' attr.name='w' attr.type='string'/></graphml>", a);
    FAILS(mp_dataset_raw(top, NULL, &all, a, &raw, &path),
          "/c.graphml:2: 'w' of nodes is words here and numbers in a file before");
    put_file(top, "T_A.txt", "", a); /* files of TUDataset win */
    FAILS(mp_dataset_raw(top, NULL, &all, a, &raw, &path), "T_graph_indicator.txt");
    remove_folder(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(keys_become_features_by_their_types),
        CASE(several_graphs_are_called_by_their_ids_or_numbers),
        CASE(what_other_programs_add_is_passed_over),
        CASE(what_is_wrong_is_said_with_file_and_line),
        CASE(a_folder_of_files_is_a_set_in_the_order_of_their_names),
    };
    return cmocka_run_group_tests_name("data_graphml", tests, NULL, NULL);
}
