/* midpool.hpp - midpool.h for C++17 and later: objects that end what they own, exceptions in place of statuses, spans in place of
 * pointers. Header only; link with `pkg-config --cflags --libs midpool`.
 *
 *     midpool::data set = midpool::data::load("MUTAG");
 *     auto [model, result] = midpool::train(set, { "pool=sag", "preset=mid", "epochs=50" },
 *                                           [](const mp_news &n) { std::cout << n.epoch << ' ' << n.val_metric << '\n'; });
 *     model.save("mutag.safetensors");
 *
 * Exceptions. What returns a status in C throws midpool::error, with that status and the message. Lengths of spans are held against
 * each other first: one that does not fit is MP_ERR_USAGE. An exception that a function of the caller throws ends the call under
 * way, passes no frame of C, and arrives at the caller as it was thrown.
 *
 * Objects are moved, not copied. One that was moved from can be destroyed and assigned to; its calls throw MP_ERR_USAGE. A
 * predictor keeps its model alive. Threads: as midpool.h says.
 *
 * Spans are std::span where there is one, else a small type with the same use. Nothing is copied on the way in or out, except
 * what an explanation shows: that is its own.
 *
 * 750 lines because what is header only comes as one file.
 * SPDX-License-Identifier: MIT */
#ifndef MIDPOOL_HPP
#define MIDPOOL_HPP

#include "midpool.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

namespace midpool
{

/* Classes have spans in them: what is compiled with std::span does not link with what is not. */
#if defined(__cpp_lib_span)
inline namespace with_std_span
{
template <class T> using span = std::span<T>;
#else
inline namespace with_own_span
{
template <class T> class span
{
    template <class C>
    using fits = std::enable_if_t<
        !std::is_same_v<std::remove_cv_t<std::remove_reference_t<C>>, span> &&
        std::is_convertible_v<std::remove_pointer_t<decltype(std::data(std::declval<C &>()))> (*)[], T (*)[]>>;

  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T *first, std::size_t n) noexcept : first_(first), n_(n)
    {
    }
    template <class C, class = fits<C>>
    constexpr span(C &&c) : first_(std::data(c)), n_(std::size(c)) /* arrays, vectors, spans of what is not const */
    {
    }
    constexpr T *data() const noexcept
    {
        return first_;
    }
    constexpr std::size_t size() const noexcept
    {
        return n_;
    }
    constexpr bool empty() const noexcept
    {
        return n_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return first_;
    }
    constexpr T *end() const noexcept
    {
        return first_ + n_;
    }
    constexpr T &operator[](std::size_t i) const
    {
        return first_[i];
    }
    constexpr T &front() const
    {
        return first_[0];
    }
    constexpr T &back() const
    {
        return first_[n_ - 1];
    }

  private:
    T *first_ = nullptr;
    std::size_t n_ = 0;
};
#endif

class error : public std::runtime_error
{
  public:
    error(mp_err status, const std::string &message) : std::runtime_error(message), status_(status)
    {
    }
    mp_err status() const noexcept
    {
        return status_;
    }

  private:
    mp_err status_;
};

namespace detail
{

inline void check(mp_err e)
{
    if (e != MP_OK) throw error(e, mp_message());
}

template <auto Free> struct ends {
    template <class T> void operator()(T *p) const noexcept
    {
        Free(p);
    }
};

inline int count(std::size_t n, const char *what)
{
    if (n > INT_MAX) throw error(MP_ERR_LIMIT, std::string(what) + ": more than an int can count");
    return static_cast<int>(n);
}

/* Throws unless a span has rows x columns numbers; an empty one is allowed where `optional`. */
template <class T> void shape(span<T> s, std::size_t rows, std::size_t columns, const char *what, bool optional = true)
{
    if (s.size() == rows * columns || (optional && s.empty())) return;
    throw error(MP_ERR_USAGE, std::string(what) + ": " + std::to_string(s.size()) + " values, expected " +
                                  std::to_string(rows) + " x " + std::to_string(columns));
}

/* The columns of a table with that many rows. */
template <class T> int columns(span<T> s, std::size_t rows, const char *what)
{
    if (s.empty()) return 0;
    if (rows == 0 || s.size() % rows != 0)
        throw error(MP_ERR_USAGE, std::string(what) + ": " + std::to_string(s.size()) +
                                      " values, expected as many in each of " + std::to_string(rows) + " rows");
    return count(s.size() / rows, what);
}

/* NULL means something else than no numbers where graphs are listed. */
inline const int *list(span<const int> s)
{
    static const int none = 0;
    return s.empty() ? &none : s.data();
}

/* A function of the caller's behind one of C's. What it throws is kept, and thrown again when the C frames are gone. */
template <class F> struct guest {
    F &call;
    std::exception_ptr thrown = nullptr;

    template <class R, class... A> R run(R otherwise, R fine, A &&...a) noexcept
    {
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F &, A...>>) {
                call(std::forward<A>(a)...);
                return fine;
            } else {
                return call(std::forward<A>(a)...);
            }
        } catch (...) {
            thrown = std::current_exception();
            return otherwise;
        }
    }
    void end() const
    {
        if (thrown) std::rethrow_exception(thrown);
    }
};

} // namespace detail

inline const char *version() noexcept
{
    return mp_version();
}

/* What there is of a kind: operators, options and so on. Its texts stay for ever. */
inline std::vector<mp_entry> entries(mp_kind kind)
{
    std::vector<mp_entry> all;
    for (mp_entry e; mp_entry_at(kind, static_cast<int>(all.size()), &e);) all.push_back(e);
    return all;
}

/* ---- data ---- */

/* Graphs as arrays; see mp_arrays. How many columns a table has follows from its length. */
struct arrays {
    std::string name = {};              /* "": "arrays" */
    span<const int> node_ptr = {};      /* graphs + 1 */
    span<const int> from = {}, to = {}; /* edges */
    span<const int> node_label = {};
    span<const float> node_attribute = {};
    span<const int> edge_label = {};
    span<const float> edge_attribute = {};
    span<const double> label = {};                                /* graphs x targets */
    span<const char *const> part = {};                            /* graphs, or none */
    span<const char *const> class_name = {};                      /* or none */
    span<const int> node_label_range = {}, edge_label_range = {}; /* a column, or none */
};

/* Room for what mp_data_read gives; empty: not wanted. */
struct arrays_out {
    span<int> node_ptr = {};
    span<int> from = {}, to = {};
    span<int> node_label = {}, edge_label = {};
    span<float> node_attribute = {}, edge_attribute = {};
    span<double> label = {};
};

struct graph_sizes {
    int nodes, edges;
};

class data
{
  public:
    /* By name or path; `folder` "": none. */
    static data load(const std::string &name_or_path, const std::string &folder = {})
    {
        mp_data *d = nullptr;
        detail::check(mp_data_load(name_or_path.c_str(), folder.empty() ? nullptr : folder.c_str(), &d));
        return data(d);
    }
    /* With the columns of tables and GraphML that are said, see mp_data_columns. */
    static data load(const std::string &name_or_path, const std::string &folder, const mp_data_columns &columns)
    {
        mp_data *d = nullptr;
        detail::check(
            mp_data_load_columns(name_or_path.c_str(), folder.empty() ? nullptr : folder.c_str(), &columns, &d));
        return data(d);
    }
    explicit data(const arrays &in)
    {
        mp_data *d = nullptr;
        mp_arrays a = plain(in);
        detail::check(mp_data_make(&a, &d));
        d_.reset(d);
    }
    explicit data(mp_data *own) noexcept : d_(own) /* which is this object's from now on */
    {
    }

    mp_data_info info() const
    {
        mp_data_info i = {};
        mp_data_about(d_.get(), &i);
        return i;
    }
    /* NULL: it has none. */
    const char *class_name(int i) const
    {
        return mp_data_class(d_.get(), i);
    }
    std::string fingerprint() const
    {
        char digits[17] = "";
        detail::check(mp_data_fingerprint(d_.get(), digits));
        return digits;
    }
    graph_sizes size() const
    {
        return sizes(nullptr, 0);
    }
    graph_sizes size(span<const int> which) const
    {
        return sizes(detail::list(which), detail::count(which.size(), "which"));
    }
    void read(const arrays_out &out) const
    {
        give(nullptr, 0, info().graphs, size(), out);
    }
    void read(span<const int> which, const arrays_out &out) const
    {
        int n = detail::count(which.size(), "which");
        give(detail::list(which), n, n, size(which), out);
    }
    /* What each graph is for, 0, 1, 2 or -1, in fold `fold` of `folds` (0: as many as there are). Returns how many there are. */
    int fold(int folds, int fold, span<int> part = {}) const
    {
        int n = 0;
        detail::shape(part, static_cast<std::size_t>(info().graphs), 1, "part");
        detail::check(mp_data_fold(d_.get(), folds, fold, part.empty() ? nullptr : part.data(), &n));
        return n;
    }
    void write(const std::string &path) const
    {
        detail::check(mp_data_write(d_.get(), path.c_str()));
    }
    const mp_data *get() const noexcept
    {
        return d_.get();
    }

  private:
    std::unique_ptr<mp_data, detail::ends<mp_data_free>> d_;

    static mp_arrays plain(const arrays &in)
    {
        mp_arrays a = {};
        std::size_t graphs = in.node_ptr.empty() ? 0 : in.node_ptr.size() - 1, edges = in.from.size();
        std::size_t nodes = graphs == 0 || in.node_ptr.back() < 0 ? 0 : static_cast<std::size_t>(in.node_ptr.back());
        detail::shape(in.to, edges, 1, "to", false);
        detail::shape(in.part, graphs, 1, "part");
        a.name = in.name.empty() ? nullptr : in.name.c_str();
        a.graphs = detail::count(graphs, "node_ptr");
        a.edges = detail::count(edges, "from");
        a.node_ptr = in.node_ptr.data();
        a.from = in.from.data();
        a.to = in.to.data();
        a.node_labels = detail::columns(in.node_label, nodes, "node_label");
        a.node_label = in.node_label.data();
        a.node_attributes = detail::columns(in.node_attribute, nodes, "node_attribute");
        a.node_attribute = in.node_attribute.data();
        a.edge_labels = detail::columns(in.edge_label, edges, "edge_label");
        a.edge_label = in.edge_label.data();
        a.edge_attributes = detail::columns(in.edge_attribute, edges, "edge_attribute");
        a.edge_attribute = in.edge_attribute.data();
        a.targets = detail::columns(in.label, graphs, "label");
        a.label = in.label.data();
        a.part = in.part.empty() ? nullptr : in.part.data();
        a.class_names = detail::count(in.class_name.size(), "class_name");
        a.class_name = in.class_name.data();
        detail::shape(in.node_label_range, static_cast<std::size_t>(a.node_labels), 1, "node_label_range");
        detail::shape(in.edge_label_range, static_cast<std::size_t>(a.edge_labels), 1, "edge_label_range");
        a.node_label_range = in.node_label_range.empty() ? nullptr : in.node_label_range.data();
        a.edge_label_range = in.edge_label_range.empty() ? nullptr : in.edge_label_range.data();
        return a;
    }
    graph_sizes sizes(const int *which, int n) const
    {
        graph_sizes s = {};
        detail::check(mp_data_size(d_.get(), which, n, &s.nodes, &s.edges));
        return s;
    }
    void give(const int *which, int n, int graphs, graph_sizes s, const arrays_out &out) const
    {
        mp_data_info i = info();
        mp_arrays_out o = {};
        o.node_ptr = room(out.node_ptr, graphs + 1, 1, "node_ptr");
        o.from = room(out.from, s.edges, 1, "from");
        o.to = room(out.to, s.edges, 1, "to");
        o.node_label = room(out.node_label, s.nodes, i.node_labels, "node_label");
        o.edge_label = room(out.edge_label, s.edges, i.edge_labels, "edge_label");
        o.node_attribute = room(out.node_attribute, s.nodes, i.node_attributes, "node_attribute");
        o.edge_attribute = room(out.edge_attribute, s.edges, i.edge_attributes, "edge_attribute");
        o.label = room(out.label, graphs, i.targets, "label");
        detail::check(mp_data_read(d_.get(), which, n, &o));
    }
    template <class T> static T *room(span<T> s, int rows, int columns, const char *what)
    {
        detail::shape(s, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), what);
        return s.empty() ? nullptr : s.data();
    }
};

/* ---- trained models ---- */

struct class_value {
    std::int64_t value;
    const char *name; /* NULL: labels are no text */
};

class trained
{
  public:
    static trained load(const std::string &path)
    {
        mp_trained *m = nullptr;
        detail::check(mp_trained_load(path.c_str(), &m));
        return trained(m);
    }
    static trained from(span<const std::byte> file)
    {
        mp_trained *m = nullptr;
        detail::check(mp_trained_from(file.data(), file.size(), &m));
        return trained(m);
    }
    explicit trained(mp_trained *own) : m_(own, mp_trained_free)
    {
    }
    trained(trained &&) noexcept = default;
    trained &operator=(trained &&) noexcept = default;
    trained(const trained &) = delete;
    trained &operator=(const trained &) = delete;

    void save(const std::string &path) const
    {
        detail::check(mp_trained_save(m_.get(), path.c_str()));
    }
    /* The bytes of its file, in one call sink(span<const std::byte>). */
    template <class F> void write(F &&sink) const
    {
        using caller = detail::guest<std::remove_reference_t<F>>;
        caller g{ sink };
        mp_err e = mp_trained_write(
            m_.get(),
            [](void *state, const void *bytes, std::size_t n) {
                span<const std::byte> all(static_cast<const std::byte *>(bytes), n);
                return static_cast<caller *>(state)->template run<mp_err>(MP_ERR_STOPPED, MP_OK, all);
            },
            &g);
        g.end();
        detail::check(e);
    }

    mp_trained_info info() const
    {
        mp_trained_info i = {};
        mp_trained_about(m_.get(), &i);
        return i;
    }
    class_value class_at(int i) const
    {
        class_value c = {};
        detail::check(mp_trained_class(m_.get(), i, &c.value, &c.name));
        return c;
    }
    std::string option(const std::string &name) const
    {
        std::string text(1024, '\0');
        detail::check(mp_trained_option(m_.get(), name.c_str(), text.data(), text.size()));
        text.resize(text.find('\0'));
        return text;
    }
    std::vector<mp_weight> weights() const
    {
        std::vector<mp_weight> all;
        for (mp_weight w; mp_trained_weight(m_.get(), static_cast<int>(all.size()), &w);) all.push_back(w);
        return all;
    }
    /* The numbers of weight i of that list. */
    void values(int i, span<float> out) const
    {
        mp_weight w = {};
        if (mp_trained_weight(m_.get(), i, &w)) detail::shape(out, w.count, 1, "values", false);
        detail::check(mp_trained_values(m_.get(), i, out.data()));
    }

    /* Outputs (graphs x outputs) and answers (graphs x targets) of all graphs of a set, or of those listed. Either may be empty.
     * threads 0: all processors. */
    void predict(const data &d, span<float> value, span<double> answer = {}, int threads = 0) const
    {
        ask(d, nullptr, 0, d.info().graphs, value, answer, threads);
    }
    void predict(const data &d, span<const int> which, span<float> value, span<double> answer = {},
                 int threads = 0) const
    {
        int n = detail::count(which.size(), "which");
        ask(d, detail::list(which), n, n, value, answer, threads);
    }
    /* Every metric of its task. */
    std::vector<mp_metric_value> evaluate(const data &d, int threads = 0) const
    {
        return measure(d, nullptr, 0, threads);
    }
    std::vector<mp_metric_value> evaluate(const data &d, span<const int> which, int threads = 0) const
    {
        return measure(d, detail::list(which), detail::count(which.size(), "which"), threads);
    }
    const mp_trained *get() const noexcept
    {
        return m_.get();
    }

  private:
    friend class predictor;
    std::shared_ptr<mp_trained> m_; /* shared with its predictors alone */

    void ask(const data &d, const int *which, int n, int graphs, span<float> value, span<double> answer,
             int threads) const
    {
        mp_trained_info i = info();
        detail::shape(value, static_cast<std::size_t>(graphs), static_cast<std::size_t>(i.outputs), "value");
        detail::shape(answer, static_cast<std::size_t>(graphs), static_cast<std::size_t>(i.targets), "answer");
        detail::check(mp_predict_data(m_.get(), d.get(), which, n, threads, value.empty() ? nullptr : value.data(),
                                      answer.empty() ? nullptr : answer.data()));
    }
    std::vector<mp_metric_value> measure(const data &d, const int *which, int n, int threads) const
    {
        std::vector<mp_metric_value> out(MP_METRICS_ROOM);
        int count = 0;
        detail::check(mp_evaluate(m_.get(), d.get(), which, n, threads, out.data(), &count));
        out.resize(static_cast<std::size_t>(count));
        return out;
    }
};

/* ---- training ---- */

struct parts { /* numbers of graphs; see mp_parts */
    span<const int> train = {}, val = {}, test = {};
};

struct training {
    trained model;
    mp_result result;
};

namespace detail
{

template <class F> training train(const data &d, const parts *p, const std::vector<std::string> &options, F &on_epoch)
{
    using caller = guest<F>;
    caller g{ on_epoch };
    std::vector<const char *> texts;
    for (const std::string &o : options) texts.push_back(o.c_str());
    texts.push_back(nullptr);
    mp_watch watch = {};
    watch.state = &g;
    watch.epoch = [](void *state, const mp_news *n) {
        return static_cast<caller *>(state)->template run<mp_verdict>(MP_CANCEL, MP_GO_ON, *n);
    };
    mp_trained *m = nullptr;
    mp_result result = {};
    mp_err e;
    if (p) {
        mp_parts c = {};
        c.train = p->train.data(), c.n_train = count(p->train.size(), "train");
        c.val = p->val.data(), c.n_val = count(p->val.size(), "val");
        c.test = p->test.data(), c.n_test = count(p->test.size(), "test");
        e = mp_train_parts(d.get(), &c, texts.data(), &watch, &m, &result);
    } else {
        e = mp_train(d.get(), texts.data(), &watch, &m, &result);
    }
    std::unique_ptr<mp_trained, ends<mp_trained_free>> own(m);
    g.end();
    check(e);
    return training{ trained(own.release()), result };
}

inline void nobody(const mp_news &)
{
}

} // namespace detail

/* Options are texts "name=value". on_epoch(const mp_news &) is called after each epoch; it returns mp_verdict, or nothing to go on. */
template <class F> training train(const data &d, const std::vector<std::string> &options, F &&on_epoch)
{
    return detail::train(d, nullptr, options, on_epoch);
}
inline training train(const data &d, const std::vector<std::string> &options)
{
    return detail::train(d, nullptr, options, detail::nobody);
}
/* On a split of one's own. */
template <class F> training train(const data &d, const parts &p, const std::vector<std::string> &options, F &&on_epoch)
{
    return detail::train(d, &p, options, on_epoch);
}
inline training train(const data &d, const parts &p, const std::vector<std::string> &options)
{
    return detail::train(d, &p, options, detail::nobody);
}

/* ---- one graph at a time ---- */

struct query { /* see mp_query */
    int nodes = 0;
    span<const int> from = {}, to = {};
    span<const float> x = {};
    span<const float> attributes = {};
    span<const int> labels = {};
    span<const float> edge_attributes = {};
    span<const int> edge_labels = {};
};

struct answer { /* spans live until the next call of the predictor */
    std::int64_t label = 0;
    int class_index = -1;
    span<const float> value = {};
    span<const double> answers = {};
};

struct level { /* one pooling; see mp_level */
    int nodes = 0, columns = 0;
    span<const int> node = {};
    span<const double> score = {}, gate = {}, key = {};
    span<const unsigned char> kept = {};
    span<const int> order = {};
    span<const int> from = {}, to = {};
};

/* Owns what it shows: it outlives the next call, and its predictor. */
class explanation
{
  public:
    explanation(explanation &&) noexcept = default;
    explanation &operator=(explanation &&) noexcept = default;
    explanation(const explanation &) = delete;
    explanation &operator=(const explanation &) = delete;

    const midpool::answer &answer() const noexcept
    {
        return answer_;
    }
    const std::vector<level> &levels() const noexcept
    {
        return levels_;
    }

  private:
    friend class predictor;
    /* Every array is a vector of its own: spans into it stay when the vectors are moved. */
    std::vector<std::vector<int>> ints_;
    std::vector<std::vector<double>> doubles_;
    std::vector<std::vector<float>> floats_;
    std::vector<std::vector<unsigned char>> bytes_;
    midpool::answer answer_;
    std::vector<level> levels_;

    explicit explanation(const mp_explanation &e)
    {
        answer_.label = e.answer.label;
        answer_.class_index = e.answer.class_index;
        answer_.value = keep(floats_, e.answer.value, e.answer.outputs, 1);
        answer_.answers = keep(doubles_, e.answer.answer, e.answer.targets, 1);
        for (int i = 0; i < e.levels; i++) {
            const mp_level &from = e.level[i];
            level l;
            l.nodes = from.nodes;
            l.columns = from.columns;
            l.node = keep(ints_, from.node, from.nodes, 1);
            l.score = keep(doubles_, from.score, from.nodes, from.columns);
            l.gate = keep(doubles_, from.gate, from.nodes, from.columns);
            l.key = keep(doubles_, from.key, from.nodes, 1);
            l.kept = keep(bytes_, from.kept, from.nodes, 1);
            l.order = keep(ints_, from.order, from.keep, 1);
            l.from = keep(ints_, from.from, from.edges, 1);
            l.to = keep(ints_, from.to, from.edges, 1);
            levels_.push_back(l);
        }
    }
    template <class T>
    static span<const T> keep(std::vector<std::vector<T>> &all, const T *first, int rows, int columns)
    {
        std::size_t n = first ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) : 0;
        all.emplace_back(first, first + n);
        return span<const T>(all.back().data(), n);
    }
};

class predictor
{
  public:
    explicit predictor(const trained &m) : m_(m.m_), info_(m.info())
    {
        mp_predictor *p = nullptr;
        detail::check(mp_predictor_new(m.get(), &p));
        p_.reset(p);
    }
    predictor(predictor &&) noexcept = default;
    predictor &operator=(predictor &&from) noexcept
    {
        p_ = std::move(from.p_); /* first: the old predictor must end before its model */
        m_ = std::move(from.m_);
        info_ = from.info_;
        return *this;
    }

    midpool::answer predict(const query &graph)
    {
        mp_query q = plain(graph);
        mp_answer a = {};
        if (!mp_predict(p_.get(), &q, &a)) throw error(mp_status(), mp_message());
        midpool::answer out;
        out.label = a.label;
        out.class_index = a.class_index;
        out.value = span<const float>(a.value, static_cast<std::size_t>(a.outputs));
        out.answers = span<const double>(a.answer, static_cast<std::size_t>(a.targets));
        return out;
    }
    explanation explain(const query &graph)
    {
        mp_query q = plain(graph);
        mp_explanation e = {};
        detail::check(mp_explain(p_.get(), &q, &e));
        return explanation(e);
    }
    explanation explain(const data &d, int graph)
    {
        mp_explanation e = {};
        detail::check(mp_explain_data(p_.get(), d.get(), graph, &e));
        return explanation(e);
    }
    /* The text of an SVG file. */
    std::string svg(const data &d, int graph, const std::string &title = {})
    {
        const char *text = nullptr;
        detail::check(mp_explain_svg(p_.get(), d.get(), graph, title.empty() ? nullptr : title.c_str(), &text));
        return text;
    }
    const mp_predictor *get() const noexcept
    {
        return p_.get();
    }

  private:
    std::shared_ptr<mp_trained> m_; /* declared before p_, and so destroyed after it */
    mp_trained_info info_;
    std::unique_ptr<mp_predictor, detail::ends<mp_predictor_free>> p_;

    mp_query plain(const query &g) const
    {
        mp_query q = {};
        std::size_t nodes = g.nodes < 0 ? 0 : static_cast<std::size_t>(g.nodes), edges = g.from.size();
        detail::shape(g.to, edges, 1, "to", false);
        q.nodes = g.nodes;
        q.edges = detail::count(edges, "from");
        q.from = g.from.data();
        q.to = g.to.data();
        q.x = table(g.x, nodes, info_.features, "x");
        q.attributes = table(g.attributes, nodes, info_.node_attributes, "attributes");
        q.labels = table(g.labels, nodes, info_.node_labels, "labels");
        q.edge_attributes = table(g.edge_attributes, edges, info_.edge_attributes, "edge_attributes");
        q.edge_labels = table(g.edge_labels, edges, info_.edge_labels, "edge_labels");
        return q;
    }
    template <class T> static const T *table(span<const T> s, std::size_t rows, int columns, const char *what)
    {
        detail::shape(s, rows, static_cast<std::size_t>(columns), what);
        return s.empty() ? nullptr : s.data();
    }
};

#if defined(__cpp_lib_span)
} // namespace with_std_span
#else
} // namespace with_own_span
#endif
} // namespace midpool

#endif
