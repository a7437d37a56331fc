/* rings.cpp - the library from C++: arrays as spans, training with a lambda, answers and explanations as objects, errors as
 * exceptions.
 *
 *     c++ -std=c++17 rings.cpp $(pkg-config --cflags --libs midpool) && ./a.out
 * SPDX-License-Identifier: MIT */
#include <midpool.hpp>

#include <cstdio>
#include <vector>

/* Rings are class 0, stars class 1; nodes have no features, so they are told apart by their degrees. */
static midpool::data make()
{
    std::vector<int> node_ptr{ 0 }, from, to;
    std::vector<double> label;
    for (int b = 0; b < 80; b++) {
        int first = node_ptr.back(), star = b % 2, n = 6 - b % 3;
        for (int v = 0; v < n - star; v++) {
            from.push_back(first + (star ? 0 : v));
            to.push_back(first + (v + 1) % n);
        }
        node_ptr.push_back(first + n);
        label.push_back(star);
    }
    midpool::arrays in;
    in.name = "rings and stars";
    in.node_ptr = node_ptr;
    in.from = from;
    in.to = to;
    in.label = label;
    return midpool::data(in); /* which has copied what it needs */
}

static void run()
{
    midpool::data set = make();
    auto [model, result] = midpool::train(set, { "pool=sag", "preset=mid", "hidden=32", "layers=2", "epochs=30" },
                                          [](const mp_news &n) { return n.val_metric == 1 ? MP_ENOUGH : MP_GO_ON; });
    std::printf("%d epochs; %s of %d test graphs: %.2f\n", result.epochs, result.metric, result.test_graphs,
                result.test_metric);

    std::vector<double> answers(static_cast<std::size_t>(set.info().graphs));
    model.predict(set, {}, answers, 2);
    int stars = 0;
    for (double a : answers) stars += a == 1;
    std::printf("%d of %zu graphs are taken for stars\n", stars, answers.size());

    const int from[] = { 0, 0, 0, 0 }, to[] = { 1, 2, 3, 4 };
    midpool::query star;
    star.nodes = 5;
    star.from = from;
    star.to = to;
    midpool::predictor ask(model);
    midpool::explanation why = ask.explain(star);
    std::printf("a star of five nodes: class %d; the first pooling kept node", why.answer().class_index);
    for (int v : why.levels()[0].order) std::printf(" %d", v);
    std::printf("\n");

    star.to = midpool::span<const int>(to, 3);
    try {
        ask.predict(star);
    } catch (const midpool::error &e) {
        std::printf("refused: %s\n", e.what());
    }
}

int main()
{
    try {
        run();
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "rings: %s\n", e.what());
        return 1;
    }
}
