/* test_data_tables.c - folders of graphs.csv, nodes.csv and edges.csv: what columns become, and what is refused.
 * SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "data/lexicon.h"
#include "data/tables.h"

#include <math.h>

static mp_err parse_as(const mp_dataset_as *as, const char *graphs, const char *nodes, const char *edges, mp_arena *a,
                       mp_raw *out)
{
    const char *text[MP_FRAME_PARTS] = { graphs, nodes, edges };
    mp_tables t = { .where = "D" };
    mp_arena *scratch = mp_arena_new(1 << 12);
    for (int p = 0; p < MP_FRAME_PARTS; p++) {
        if (!text[p]) continue;
        t.file[p] = mp_tables_file[p];
        t.text[p] = mp_span_of(text[p]);
    }
    mp_err e = mp_tables_parse(&t, as, scratch, a, out);
    mp_arena_free(scratch); /* nothing of it is needed any more */
    out->name = "S";
    return e;
}

static mp_err parse(const char *graphs, const char *nodes, const char *edges, mp_arena *a, mp_raw *out)
{
    static const mp_dataset_as all = { .edges = true };
    return parse_as(&all, graphs, nodes, edges, a, out);
}

#define GRAPHS "graph_id,y\ng1,toxic\ng2,safe\n"
#define NODES  "graph_id,node_id,atom,charge\ng2,a,N,0\ng1,a,C,0.5\ng1,b,O,-1\ng2,b,C,2\n"
#define EDGES  "graph_id,source,target,bond\ng1,a,b,double\ng2,b,a,single\n"

/* By hand: graph g1 is 0, its nodes a and b are 0 and 1; those of g2 are 2 and 3. Words are numbered by their letters. */
static void rows_may_come_in_any_order_and_ids_are_words(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse(GRAPHS, NODES, EDGES, a, &raw));
    assert_int_equal(raw.graphs.graphs, 2);
    assert_int_equal(raw.graphs.nodes, 4);
    assert_int_equal(raw.graphs.edges, 4);
    assert_int_equal(mp_graph_edge(&raw.graphs, 0, 1) >= 0 && mp_graph_edge(&raw.graphs, 2, 3) >= 0, 1);
    static const int atom[] = { 0, 2, 1, 0 }, edge[] = { 0, 0, 1, 1 };
    assert_int_equal(raw.label_columns, 1);
    assert_memory_equal(raw.labels, atom, sizeof atom);
    assert_int_equal(raw.edge_label_columns, 1);
    assert_memory_equal(raw.edge_labels, edge, sizeof edge);
    assert_int_equal(raw.attributes.cols, 1);
    static const mp_real charge[] = { (mp_real)0.5, -1, 2 }; /* zeros are not stored */
    static const int ptr[] = { 0, 1, 2, 2, 3 };
    assert_memory_equal(raw.attributes.ptr, ptr, sizeof ptr);
    assert_memory_equal(raw.attributes.val, charge, sizeof charge);
    assert_string_equal(raw.class_name[0], "safe");
    assert_int_equal(raw.graph_label[0], 1);
    assert_int_equal(raw.graph_label[1], 0);
    assert_string_equal(raw.id[1], "g2");
    assert_string_equal(raw.names->label[0], "atom");
    assert_int_equal(raw.names->words[0], 3);
    assert_string_equal(raw.names->word[0][1], "N");
    assert_string_equal(raw.names->attribute[0], "charge");
    assert_string_equal(raw.edge_names->word[0][0], "double");
}

static void other_names_of_id_columns_and_a_column_of_row_numbers_are_known(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse(",Graph,Class\n0,0,1\n1,1,2\n", ",graph,ID,x\n0,0,7,1\n1,1,7,2\n2,1,8,3\n",
                "src,dst,GRAPH\n7,8,1\n8,7,1\n8,8,1\n", a, &raw));
    assert_int_equal(raw.graphs.nodes, 3);
    assert_int_equal(raw.graphs.edges, 2);
    assert_int_equal(raw.self_loops, 1);
    assert_int_equal(raw.graph_label[1], 2);
    assert_null(raw.class_name);
    assert_null(raw.id);    /* 0 and 1 are the numbers they have anyway */
    assert_null(raw.names); /* x is what a column without a name is called */
    assert_int_equal(raw.notes, 0);
}

/* Without a table of nodes they are the ends of edges, in the order in which they come. */
static void tables_of_nodes_and_graphs_may_be_missing(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    mp_dataset d;
    WORKS(parse(NULL, NULL, "graph,from,to\nb,9,5\na,1,2\nb,5,7\n", a, &raw));
    assert_int_equal(raw.graphs.graphs, 2);
    assert_int_equal(raw.graphs.nodes, 5);
    assert_string_equal(raw.id[0], "b");
    assert_int_equal(mp_graph_edge(&raw.graphs, 0, 1) >= 0 && mp_graph_edge(&raw.graphs, 1, 2) >= 0, 1);
    assert_true(mp_graph_edge(&raw.graphs, 0, 2) < 0);
    assert_null(raw.graph_label);
    WORKS(mp_dataset_build(&raw, NULL, a, &d));
    assert_int_equal(d.recipe.degree, MP_DEGREE_ONE_HOT);
    FAILS(parse("graph\nb\na\nc\n", NULL, "graph,from,to\nb,9,5\na,1,2\n", a, &raw),
          "graphs.csv:4: graph 'c' has no nodes");
}

static void what_is_learned_follows_from_names_and_values(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    static const char nodes[] = "graph,node\n0,0\n1,0\n", edges[] = "graph,source,target\n";
    WORKS(parse("graph,y\n0,1.0\n1,2\n", nodes, edges, a, &raw));
    assert_int_equal(raw.target_columns, 1);
    assert_true(!raw.graph_label && raw.target[1] == 2);
    WORKS(parse("graph,y\n0,\n1,2\n", nodes, edges, a, &raw)); /* a number may be missing */
    assert_true(!raw.graph_label && isnan(raw.target[0]) && raw.target[1] == 2);
    FAILS(parse("graph,y\n0,red\n1,\n", nodes, edges, a, &raw),
          "graphs.csv:3: column 'y': expected the name of a class");
    WORKS(parse("graph,y:a,y:b\n0,1,nan\n1,2,3\n", nodes, edges, a, &raw));
    assert_int_equal(raw.target_columns, 2);
    assert_string_equal(raw.target_name[1], "b");
    assert_true(isnan(raw.target[1]) && raw.target[3] == 3);
    FAILS(parse("graph,label,class\n0,1,1\n1,1,1\n", nodes, edges, a, &raw), "say which with --label");
    mp_columns columns = { .labels = "mass,size" };
    mp_dataset_as as = { .columns = &columns };
    WORKS(parse_as(&as, "graph,size,mass,lab\n0,1,2,u\n1,3,4,v\n", nodes, edges, a, &raw));
    assert_true(raw.target[0] == 2 && raw.target[1] == 1);
    assert_int_equal(raw.notes, 1);
    assert_string_equal(raw.note_name[0], "lab");
    assert_string_equal(raw.note[1], "v");
    columns.labels = "weight";
    FAILS(parse_as(&as, "graph,size\n0,1\n1,3\n", nodes, edges, a, &raw), "no 'weight' of graphs; it has size");
    columns = (mp_columns){ .labelled = true };
    FAILS(parse_as(&as, "graph,size\n0,1\n1,3\n", nodes, edges, a, &raw),
          "say with --label what is to be learned: size");
}

static void a_column_of_splits_is_one(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    static const char nodes[] = "graph,node\n0,0\n1,0\n2,0\n3,0\n", edges[] = "graph,source,target\n";
    WORKS(parse("graph,y,split\n0,1,test\n1,2,train\n2,1,valid\n3,1,\n", nodes, edges, a, &raw));
    const unsigned char *part = mp_raw_parts(&raw, a);
    static const unsigned char wanted[] = { 2, 0, 1, MP_PARTS };
    assert_memory_equal(part, wanted, 4);
    FAILS(parse("graph,y,split\n0,1,test\n1,2,train\n2,1,exam\n3,1,\n", nodes, edges, a, &raw),
          "graphs.csv:4: column 'split': expected train, val, test");
    FAILS(parse("graph,y,split\n0,1,test\n1,2,train\n2,1,train\n3,1,\n", nodes, edges, a, &raw),
          "no graph is in the part 'val'");
}

static void labels_are_kinds_and_other_numbers_are_not(void **state)
{
    mp_arena *a = *state;
    mp_raw raw;
    WORKS(parse(NULL, "graph,node,label,size\n0,0,3,1\n0,1,5,2\n", "graph,source,target\n0,0,1\n", a, &raw));
    assert_int_equal(raw.label_columns, 1);
    assert_int_equal(raw.labels[1], 5);
    assert_int_equal(raw.attributes.cols, 1);
    WORKS(parse(NULL, "graph,node,label\n0,0,3\n0,1,5.5\n", "graph,source,target\n0,0,1\n", a, &raw));
    assert_int_equal(raw.label_columns, 0);
    assert_int_equal(raw.attributes.cols, 1);
    mp_columns columns = { .ignore = "name,other" };
    mp_dataset_as as = { .columns = &columns };
    WORKS(parse_as(&as, NULL, "graph,node,name,size\n0,0,p,1\n0,1,q,2\n", "graph,source,target,w\n0,0,1,2\n", a, &raw));
    assert_int_equal(raw.label_columns, 0);
    assert_int_equal(raw.edge_columns_unread, 1);
}

static void what_is_wrong_is_said_with_file_and_line(void **state)
{
    static const struct {
        const char *graphs, *nodes, *edges, *message;
    } cases[] = {
        { GRAPHS, "", EDGES, "nodes.csv: is empty; expected a header" },
        { GRAPHS, "graph_id,atom\n", EDGES,
          "nodes.csv:1: expected a column called one of node_id, node, id; it has graph_id, atom" },
        { "name,y\n", NODES, EDGES, "graphs.csv:1: expected a column called one of graph_id, graph, id" },
        { GRAPHS, NODES, "graph,source\n", "edges.csv:1: expected a column called one of target, dst, to" },
        { GRAPHS, NODES, EDGES "g1,a,c,single\n",
          "edges.csv:4: the edge joins node 'c', which graph 'g1' does not have" },
        { GRAPHS, NODES, EDGES "g3,a,b,single\n", "edges.csv:4: graph 'g3' is not in graphs.csv" },
        { GRAPHS, NODES, EDGES "g1,b,a,single\n", "edges.csv:4: the edge of edges.csv:2 once more, with other values" },
        { GRAPHS, NODES, EDGES "g1,b\n", "edges.csv:4: 2 fields; the header has 4" },
        { GRAPHS, NODES "g1,a,C,1\n", EDGES,
          "nodes.csv:6: node 'a' of graph 'g1' is there twice; it is on line 3 too" },
        { GRAPHS, NODES "g1,,C,1\n", EDGES, "nodes.csv:6: column 'node_id' is empty" },
        { GRAPHS, NODES "g1,c,C,\n", EDGES, "nodes.csv:6: column 'charge': expected a number, got ''" },
        { GRAPHS, NODES "g1,c,,1\n", EDGES, "nodes.csv:6: column 'atom': expected a word, the field is empty" },
        { GRAPHS "g1,safe\n", NODES, EDGES, "graphs.csv:4: graph 'g1' is there twice; it is graphs.csv:2 too" },
        { GRAPHS, "graph_id,node_id,x,x\n", EDGES, "nodes.csv:1: two columns are called 'x'" },
        { GRAPHS, NODES "g1,c,\"C,1\n", EDGES, "nodes.csv:6: a field in quotes does not end" },
        { NULL, "graph,node\n", "graph,source,target\n", "D: holds no graphs" },
    };
    mp_arena *a = *state;
    mp_raw raw;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        FAILS(parse(cases[i].graphs, cases[i].nodes, cases[i].edges, a, &raw), cases[i].message);
}

static void words_that_name_things_are_no_kinds(void **state)
{
    mp_arena *a = *state;
    mp_buf nodes = { 0 };
    mp_raw raw;
    mp_buf_puts(&nodes, "graph,node,name\n");
    for (int i = 0; i < 1001; i++) mp_buf_printf(&nodes, "0,%d,n%d\n", i, i);
    FAILS(parse(NULL, nodes.p, "graph,source,target\n", a, &raw),
          "'name' of nodes has 1001 different words, more than 1000; leave it out with --ignore");
    mp_buf_free(&nodes);
}

/* Columns are found by name, in any order, and words have the numbers the model knows. */
static void a_model_finds_its_columns_by_name(void **state)
{
    mp_arena *a = *state;
    mp_raw first, raw;
    WORKS(parse(GRAPHS, NODES, EDGES, a, &first));
    mp_dataset d;
    WORKS(mp_dataset_build(&first, NULL, a, &d));
    mp_dataset_as as = { .recipe = &d.recipe,
                         .task = d.task,
                         .targets = 1,
                         .classes = d.classes,
                         .class_value = d.class_value,
                         .class_name = d.class_name,
                         .names = d.names,
                         .edge_names = d.edge_names };
    WORKS(parse_as(&as, NULL, "charge,more,atom,node,graph\n3,x,O,0,0\n4,y,O,1,0\n",
                   "graph,source,target,bond\n0,0,1,double\n", a, &raw));
    assert_int_equal(raw.labels[0], 2); /* C, N, O */
    assert_int_equal(raw.attributes.cols, 1);
    assert_int_equal(raw.label_columns, 1);
    FAILS(parse_as(&as, NULL, "charge,atom,node,graph\n3,O,0,0\n4,Xe,1,0\n", "graph,source,target,bond\n0,0,1,double\n",
                   a, &raw),
          "nodes.csv:3: column 'atom': the model knows no 'Xe'");
    FAILS(parse_as(&as, NULL, "mass,atom,node,graph\n3,O,0,0\n", "graph,source,target,bond\n", a, &raw),
          "D: no node has 'charge', which the model reads; there is atom");
    FAILS(parse_as(&as, NULL, "charge,atom,node,graph\nhigh,O,0,0\n", "graph,source,target\n", a, &raw),
          "nodes.csv:2: column 'charge': expected a number, got 'high'");
    FAILS(parse_as(&as, "graph,y\n0,odd\n", "charge,atom,node,graph\n3,O,0,0\n", "graph,source,target\n", a, &raw),
          "graphs.csv:2: column 'y': the model knows no class 'odd'");
    FAILS(parse_as(&as, NULL, "charge,atom,node,graph\n3,1,0,0\n", "graph,source,target\n", a, &raw),
          "the model knows no '1'");
}

/* More letters than are asked for at a time, and a word longer than that. */
static void words_stay_as_they_were_however_many_come(void **state)
{
    (void)state;
    enum { WORDS = 20000, LONG = 70000 };
    mp_arena *a = mp_arena_new(1 << 22); /* in one block, so that letters too many would be in the next table */
    mp_lexicon w = { .a = a };
    char word[16], *large = MP_NEW(a, char, LONG + 1);
    memset(large, 'x', LONG);
    for (int i = 0; i < WORDS; i++) {
        if (i == WORDS / 2) assert_int_equal(mp_lexicon_add(&w, -1, mp_span_of(large)), i);
        snprintf(word, sizeof word, "w%06d", i / 2);
        assert_int_equal(mp_lexicon_add(&w, i % 2, mp_span_of(word)), i + (i >= WORDS / 2));
    }
    for (int i = 0; i < WORDS; i++) {
        int at = i + (i >= WORDS / 2);
        snprintf(word, sizeof word, "w%06d", i / 2);
        assert_string_equal(w.word[at], word);
        assert_int_equal(mp_lexicon_find(&w, i % 2, mp_span_of(word)), at);
        assert_int_equal(mp_lexicon_find(&w, 2, mp_span_of(word)), -1);
    }
    assert_string_equal(w.word[WORDS / 2], large);
    assert_int_equal(w.count, WORDS + 1);
    mp_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(rows_may_come_in_any_order_and_ids_are_words),
        CASE(other_names_of_id_columns_and_a_column_of_row_numbers_are_known),
        CASE(tables_of_nodes_and_graphs_may_be_missing),
        CASE(what_is_learned_follows_from_names_and_values),
        CASE(a_column_of_splits_is_one),
        CASE(labels_are_kinds_and_other_numbers_are_not),
        CASE(what_is_wrong_is_said_with_file_and_line),
        CASE(words_that_name_things_are_no_kinds),
        CASE(a_model_finds_its_columns_by_name),
        CASE(words_stay_as_they_were_however_many_come),
    };
    return cmocka_run_group_tests_name("data_tables", tests, NULL, NULL);
}
