/* test_cpp.cpp - what midpool.hpp promises, with std::span (C++20) and without (C++17): objects end what they own once, statuses
 * are exceptions, exceptions of the caller's pass no frame of C, and numbers are those of midpool.h.
 *
 * cmocka leaves a test by longjmp, which no C++ object may be in the way of: tests throw, and `run` tells cmocka.
 * SPDX-License-Identifier: MIT */
#include <midpool.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include <setjmp.h>
#include <stdarg.h>
extern "C" { // which its header leaves to us
#include <cmocka.h>
}

using midpool::span;

namespace
{

struct failed : std::runtime_error {
    failed(const char *what, int line) : std::runtime_error("line " + std::to_string(line) + ": " + what)
    {
    }
};

#define CHECK(holds)                                                                                                   \
    if (!(holds)) throw failed(#holds, __LINE__)

/* Throws unless `f` throws midpool::error with that status and these words. */
template <class F> void refuses(mp_err status, const char *words, F &&f)
{
    try {
        f();
    } catch (const midpool::error &e) {
        if (e.status() != status || !std::strstr(e.what(), words))
            throw std::runtime_error("status " + std::to_string(e.status()) + ": '" + e.what() + "', expected '" +
                                     words + "'");
        return;
    }
    throw std::runtime_error(std::string("nothing was refused, expected '") + words + "'");
}

/* Rings are class 3, stars class 7; every node has one of two labels and two attributes. */
struct graphs {
    std::vector<int> node_ptr{ 0 }, from, to, kind;
    std::vector<float> attribute;
    std::vector<double> label;

    graphs()
    {
        for (int b = 0; b < 60; b++) {
            int first = node_ptr.back(), n = 5 + b % 4, star = b % 2;
            for (int v = 0; v < n; v++) {
                kind.push_back(v % 2);
                attribute.insert(attribute.end(), { 0.5f * static_cast<float>(v % 3), 1 });
                if (v + star == n) continue;
                from.push_back(first + (star ? 0 : v));
                to.push_back(first + (v + 1) % n);
            }
            node_ptr.push_back(first + n);
            label.push_back(star ? 7 : 3);
        }
    }
    midpool::arrays arrays() const
    {
        midpool::arrays a;
        a.name = "rings";
        a.node_ptr = node_ptr;
        a.from = from;
        a.to = to;
        a.node_label = kind;
        a.node_attribute = attribute;
        a.label = label;
        return a;
    }
    midpool::data data() const
    {
        return midpool::data(arrays());
    }
};

const std::vector<std::string> few = { "pool=sag", "preset=mid", "hidden=16", "layers=2", "epochs=4", "lr=0.01" };

/* A ring of five. */
struct ring {
    std::array<int, 5> from{ 0, 1, 2, 3, 4 }, to{ 1, 2, 3, 4, 0 }, kind{ 0, 1, 0, 1, 0 };
    std::array<float, 10> attribute{ 0, 1, 0.5f, 1, 1, 1, 0, 1, 0.5f, 1 };

    midpool::query query() const
    {
        midpool::query q;
        q.nodes = 5;
        q.from = from;
        q.to = to;
        q.labels = kind;
        q.attributes = attribute;
        return q;
    }
};

template <class T>
constexpr bool moved_only = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                            std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
static_assert(moved_only<midpool::data> && moved_only<midpool::trained> && moved_only<midpool::predictor> &&
              moved_only<midpool::explanation>);

/* ---- data ---- */

void spans_are_made_of_what_has_numbers_side_by_side()
{
    std::vector<int> v{ 1, 2, 3 };
    int plain[] = { 4, 5 };
    const std::array<int, 1> fixed{ 6 };
    span<int> out(v);
    span<const int> in(out), other(plain), third(fixed), none;
    CHECK(in.data() == v.data() && in.size() == 3 && in[2] == 3 && in.front() == 1 && in.back() == 3);
    CHECK(other.size() == 2 && third.size() == 1 && none.empty() && none.begin() == none.end());
    CHECK(std::accumulate(in.begin(), in.end(), 0) == 6);
    out[0] = 9;
    CHECK(v[0] == 9);
    static_assert(!std::is_constructible_v<span<int>, const std::vector<int> &>); /* const stays */
    static_assert(!std::is_constructible_v<span<const int>, std::vector<float> &>);
}

void arrays_become_a_data_set_and_come_back()
{
    graphs g;
    midpool::data d = g.data();
    mp_data_info i = d.info();
    CHECK(i.graphs == 60 && i.node_labels == 1 && i.node_attributes == 2 && i.targets == 1 &&
          !std::strcmp(i.name, "rings"));
    midpool::graph_sizes s = d.size();
    CHECK(s.nodes == g.node_ptr.back() && s.edges == static_cast<int>(g.from.size()));

    std::vector<int> ptr(61), kind(g.kind.size()), from(g.from.size()), to(g.to.size());
    std::vector<float> attribute(g.attribute.size());
    std::vector<double> label(60);
    midpool::arrays_out out;
    out.node_ptr = ptr;
    out.from = from;
    out.to = to;
    out.node_label = kind;
    out.node_attribute = attribute;
    out.label = label;
    d.read(out);
    CHECK(ptr == g.node_ptr && kind == g.kind && attribute == g.attribute && label == g.label);

    const int two[] = { 1, 0 };
    s = d.size(two);
    CHECK(s.nodes == 11 && s.edges == 10);
    out = midpool::arrays_out();
    std::vector<double> swapped(2);
    out.label = swapped;
    d.read(two, out);
    CHECK(swapped[0] == 7 && swapped[1] == 3);
    CHECK(d.size(span<const int>()).nodes == 0); /* no graphs are not all graphs */

    std::vector<int> part(60, 9);
    int folds = d.fold(0, 1, part);
    CHECK(folds == 10 && *std::max_element(part.begin(), part.end()) == 2);
    CHECK(d.fingerprint().size() == 16 && d.fingerprint() == g.data().fingerprint());
}

void lengths_that_do_not_fit_are_refused()
{
    graphs g;
    midpool::arrays a = g.arrays();
    std::vector<int> odd(g.kind.size() + 1), less(g.to.begin(), g.to.end() - 1), room(3);
    a.node_label = odd;
    refuses(MP_ERR_USAGE, "node_label: ", [&] { midpool::data d(a); });
    a = g.arrays();
    a.to = less;
    refuses(MP_ERR_USAGE, "to: ", [&] { midpool::data d(a); });
    a = g.arrays();
    a.label = span<const double>(g.label.data(), 59);
    refuses(MP_ERR_USAGE, "label: 59 values", [&] { midpool::data d(a); });
    refuses(MP_ERR_INPUT, "", [] { midpool::data d{ midpool::arrays() }; });
    midpool::data d = g.data();
    refuses(MP_ERR_USAGE, "part: 3 values, expected 60 x 1", [&] { d.fold(0, 1, room); });
    midpool::arrays_out out;
    out.node_ptr = room;
    refuses(MP_ERR_USAGE, "node_ptr: 3 values, expected 61 x 1", [&] { d.read(out); });
}

/* ---- training ---- */

void models_have_the_bits_of_the_c_calls()
{
    midpool::data d = graphs().data();
    int heard = 0;
    auto [model, result] = midpool::train(d, few, [&](const mp_news &n) { heard += n.epoch == heard + 1; });
    CHECK(heard == 4 && result.epochs == 4);

    const char *options[] = { "pool=sag", "preset=mid", "hidden=16", "layers=2", "epochs=4", "lr=0.01", nullptr };
    mp_trained *m = nullptr;
    mp_result plain;
    CHECK(mp_train(d.get(), options, nullptr, &m, &plain) == MP_OK);
    midpool::trained same(m);
    CHECK(!std::strcmp(plain.sha256, result.sha256));
    CHECK(model.option("pool") == "sag" && model.info().classes == 2 && model.class_at(1).value == 7);
    std::vector<mp_weight> w = model.weights();
    std::vector<float> values(w.at(0).count), other(w.at(0).count);
    model.values(0, values);
    same.values(0, other);
    CHECK(!w.empty() && values == other);
    refuses(MP_ERR_USAGE, "values: ", [&] { same.values(0, span<float>(values.data(), values.size() - 1)); });
}

void a_callback_can_end_or_cancel()
{
    midpool::data d = graphs().data();
    auto two = [](const mp_news &n) { return n.epoch == 2 ? MP_ENOUGH : MP_GO_ON; };
    CHECK(midpool::train(d, few, two).result.epochs == 2);
    refuses(MP_ERR_STOPPED, "", [&] { midpool::train(d, few, [](const mp_news &) { return MP_CANCEL; }); });
}

struct mine {
    int epoch;
};

void what_a_callback_throws_arrives_as_it_was_thrown()
{
    midpool::data d = graphs().data();
    int caught = 0, calls = 0;
    try {
        midpool::train(d, few, [&](const mp_news &n) {
            calls++;
            std::string held(100, 'x'); /* whose destructor runs */
            if (n.epoch == 3) throw mine{ n.epoch };
        });
    } catch (const mine &m) {
        caught = m.epoch;
    }
    CHECK(caught == 3 && calls == 3);
    midpool::training t = midpool::train(d, few); /* and everything can be used as before */
    CHECK(t.result.epochs == 4);
    caught = 0;
    try {
        t.model.write([](span<const std::byte>) { throw mine{ 5 }; });
    } catch (const mine &m) {
        caught = m.epoch;
    }
    CHECK(caught == 5);
}

void a_split_of_ones_own_is_trained_on()
{
    midpool::data d = graphs().data();
    std::vector<int> train(40), test(10);
    std::iota(train.begin(), train.end(), 0);
    std::iota(test.begin(), test.end(), 50);
    midpool::parts p;
    p.train = train;
    p.test = test;
    mp_result r = midpool::train(d, p, few).result;
    CHECK(r.train_graphs + r.val_graphs == 40 && r.test_graphs == 10);
    test[0] = 60;
    refuses(MP_ERR_USAGE, "60", [&] { midpool::train(d, p, few); });
}

/* ---- models ---- */

void a_model_survives_files_and_bytes()
{
    midpool::data d = graphs().data();
    midpool::trained model = midpool::train(d, few).model;
    std::vector<std::byte> bytes;
    model.write([&](span<const std::byte> all) { bytes.assign(all.begin(), all.end()); });
    midpool::trained second = midpool::trained::from(bytes);
    std::string path = "/tmp/midpool-cpp-" + d.fingerprint() + ".safetensors";
    model.save(path);
    midpool::trained third = midpool::trained::load(path);
    std::remove(path.c_str());

    std::vector<float> one(120), two(120), three(4);
    std::vector<double> answer(60);
    model.predict(d, one, answer, 2);
    second.predict(d, two, {}, 1);
    CHECK(one == two && std::abs(one[0] + one[1] - 1) < 1e-5f && (answer[0] == 0 || answer[0] == 1));
    const int which[] = { 7, 3 };
    third.predict(d, which, three);
    CHECK(three[0] == one[14] && three[3] == one[7]);
    std::vector<mp_metric_value> m = model.evaluate(d), some = model.evaluate(d, which);
    CHECK(m.size() > 1 && m.size() == some.size() && !std::strcmp(m[0].name, "accuracy"));
    refuses(MP_ERR_USAGE, "value: 4 values, expected 60 x 2", [&] { model.predict(d, three); });
}

void a_status_is_an_exception_with_the_message()
{
    refuses(MP_ERR_IO, "/nowhere/m.safetensors", [] { midpool::trained::load("/nowhere/m.safetensors"); });
    refuses(MP_ERR_INPUT, "", [] { midpool::trained::from(std::array<std::byte, 9>()); });
    refuses(MP_ERR_IO, "/nowhere/data", [] { midpool::data::load("/nowhere/data"); });
    refuses(MP_ERR_IO, "/nowhere/data", [] { midpool::data::load("/nowhere/data", "", { "kind", nullptr }); });
    midpool::data d = graphs().data();
    refuses(MP_ERR_USAGE, "depth-of-field", [&] { midpool::train(d, { "depth-of-field=3" }); });
    midpool::trained model = midpool::train(d, few).model;
    refuses(MP_ERR_USAGE, "", [&] { model.class_at(2); });
    refuses(MP_ERR_USAGE, "aperture", [&] { model.option("aperture"); });
    midpool::predictor p(model);
    ring r;
    r.kind[0] = 5; /* a label it never met: mp_predict returns no status */
    refuses(MP_ERR_INPUT, "5", [&] { p.predict(r.query()); });
    midpool::query q = r.query();
    q.attributes = span<const float>(r.attribute.data(), 9);
    refuses(MP_ERR_USAGE, "attributes: 9 values, expected 5 x 2", [&] { p.predict(q); });
    q = r.query();
    q.to = span<const int>(r.to.data(), 4);
    refuses(MP_ERR_USAGE, "to: 4 values", [&] { p.explain(q); });
}

/* ---- one graph at a time ---- */

void explanations_outlive_their_predictor()
{
    midpool::data d = graphs().data();
    midpool::trained model = midpool::train(d, few).model;
    ring r;
    auto p = std::make_unique<midpool::predictor>(model);
    midpool::answer a = p->predict(r.query());
    float first = a.value[0];
    CHECK(a.value.size() == 2 && a.answers.size() == 1 && (a.label == 3 || a.label == 7));
    midpool::explanation why = p->explain(r.query());
    CHECK(std::abs(why.answer().value[0] - first) < 1e-6f && why.levels().size() == 2);
    CHECK(why.levels()[0].node.size() == 5 && why.levels()[0].from.size() == 5);
    midpool::level before = why.levels()[0];
    std::vector<double> key(before.key.begin(), before.key.end());
    CHECK(p->svg(d, 1, "one").find("<svg") == 0);
    midpool::explanation other = p->explain(d, 1);
    CHECK(other.levels()[0].nodes == 6);
    p.reset();
    midpool::explanation moved = std::move(why);
    const midpool::level &l = moved.levels()[0];
    CHECK(std::vector<double>(l.key.begin(), l.key.end()) == key && l.key.data() == before.key.data());
    std::size_t kept = 0;
    for (unsigned char k : l.kept) kept += k;
    CHECK(kept == l.order.size() && l.score.size() == l.node.size() * static_cast<std::size_t>(l.columns));
}

void moved_objects_are_empty_and_refuse()
{
    midpool::data d = graphs().data(), other = std::move(d);
    CHECK(!d.get() && other.info().graphs == 60 && d.info().graphs == 0);
    refuses(MP_ERR_USAGE, "", [&] { d.fingerprint(); });
    refuses(MP_ERR_USAGE, "", [&] { d.size(); });
    refuses(MP_ERR_USAGE, "", [&] { midpool::train(d, few); });
    d = std::move(other);
    CHECK(d.info().graphs == 60);

    midpool::trained model = midpool::train(d, few).model, second = std::move(model);
    refuses(MP_ERR_USAGE, "", [&] { model.save("/tmp/nothing"); });
    refuses(MP_ERR_USAGE, "", [&] { midpool::predictor p(model); });
    CHECK(model.weights().empty());
    midpool::predictor p(second), q = std::move(p);
    ring r;
    refuses(MP_ERR_USAGE, "", [&] { p.predict(r.query()); });
    refuses(MP_ERR_USAGE, "", [&] { p.explain(d, 0); });
    CHECK(q.predict(r.query()).value.size() == 2);
    p = std::move(q);
    CHECK(p.predict(r.query()).value.size() == 2);
}

/* The last one that holds a model ends it, after the predictor. */
void a_predictor_keeps_its_model()
{
    midpool::data d = graphs().data();
    ring r;
    midpool::predictor p(midpool::train(d, few).model);
    float before = p.predict(r.query()).value[0];
    p = midpool::predictor(midpool::train(d, { "pool=topk", "hidden=8", "layers=2", "epochs=2" }).model);
    CHECK(p.predict(r.query()).value[0] != before);
}

void lists_are_vectors()
{
    CHECK(midpool::entries(MP_OPERATORS).size() == 12 && !std::strcmp(midpool::version(), mp_version()));
}

/* ---- cmocka ---- */

template <void (*Test)()> void run(void **)
{
    static char why[600];
    bool ok = true;
    try {
        Test();
    } catch (const std::exception &e) {
        std::snprintf(why, sizeof why, "%s", e.what());
        ok = false;
    }
    if (!ok) fail_msg("%s", why);
}

#define TEST(name)                                                                                                     \
    CMUnitTest                                                                                                         \
    {                                                                                                                  \
#name, run < name>, nullptr, nullptr, nullptr                                                                  \
    }

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        TEST(spans_are_made_of_what_has_numbers_side_by_side),
        TEST(arrays_become_a_data_set_and_come_back),
        TEST(lengths_that_do_not_fit_are_refused),
        TEST(models_have_the_bits_of_the_c_calls),
        TEST(a_callback_can_end_or_cancel),
        TEST(what_a_callback_throws_arrives_as_it_was_thrown),
        TEST(a_split_of_ones_own_is_trained_on),
        TEST(a_model_survives_files_and_bytes),
        TEST(a_status_is_an_exception_with_the_message),
        TEST(explanations_outlive_their_predictor),
        TEST(moved_objects_are_empty_and_refuse),
        TEST(a_predictor_keeps_its_model),
        TEST(lists_are_vectors),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
