"""What scikit-learn asks of an estimator."""
import numpy as np
import pytest
from conftest import FEW

import midpool as mp

sklearn = pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier, is_regressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402
from sklearn.utils.validation import check_array  # noqa: E402


class Rows:
    """Rows of a matrix as graphs of one node: scikit-learn's checks make such matrices. What matrices are is asked of scikit-learn
    here; all else that a check sees is the estimator's own."""

    def graphs(self, X):
        if isinstance(X, mp.Dataset):
            return X
        X = check_array(X, dtype=np.float32)
        if X.shape[1] != getattr(self, "n_features_in_", X.shape[1]):
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        return mp.Dataset.from_arrays(np.arange(len(X) + 1), np.empty((2, 0)), x=X)

    def fit(self, X, y=None):
        self.n_features_in_ = check_array(X, dtype=np.float32).shape[1]
        return super().fit(self.graphs(X), y)

    def predict(self, X):
        return super().predict(self.graphs(X))

    def score(self, X, y):
        return super().score(self.graphs(X), y)

    def _more_tags(self):
        return {"X_types": ["2darray"], "requires_y": True, "multioutput": True,
                "_xfail_checks": {self.other_words: "it is refused, in other words than scikit-learn's"}}


class RowsClassifier(Rows, mp.GraphClassifier):
    other_words = "check_classifiers_regression_target"

    def predict_proba(self, X):
        return super().predict_proba(self.graphs(X))


class RowsRegressor(Rows, mp.GraphRegressor):
    other_words = "check_fit2d_1sample"


@estimator_checks.parametrize_with_checks([kind(hidden=16, layers=1, epochs=60, lr=0.01, batch_size=16, threads=1)
                                           for kind in (RowsClassifier, RowsRegressor)])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [mp.GraphClassifier, mp.GraphRegressor])
def test_the_checks_that_need_no_arrays(kind):
    name = kind.__name__
    estimator_checks.check_no_attributes_set_in_init(name, kind())
    estimator_checks.check_get_params_invariance(name, kind())
    estimator_checks.check_set_params(name, kind())
    estimator_checks.check_parameters_default_constructible(name, kind())
    estimator_checks.check_estimator_get_tags_default_keys(name, kind())


def test_clone_takes_every_option():
    est = mp.GraphClassifier("gsa", seed=3, alpha=0.5, lambda_=0.1)
    copy = clone(est)
    assert copy is not est and copy.get_params() == est.get_params() and copy.alpha == 0.5
    assert not hasattr(clone(mp.GraphClassifier(**FEW)), "_model")
    assert is_classifier(est) and is_regressor(mp.GraphRegressor())


def test_fitting_leaves_parameters_and_data_alone(data):
    est = mp.GraphClassifier(**FEW)
    before, print_ = est.get_params(), data.fingerprint
    est.fit(data)
    assert est.get_params() == before and data.fingerprint == print_
    assert est.fit(data) is est
    first = est.predict_proba(data)
    assert (est.fit(data).predict_proba(data) == first).all()


def test_predictions_do_not_depend_on_order_or_company(data, clf):
    p = clf.predict_proba(data)
    order = np.random.default_rng(0).permutation(len(data))
    assert (clf.predict_proba(data[order]) == p[order]).all()
    assert (np.concatenate([clf.predict_proba(data[i:i + 7]) for i in range(0, 60, 7)]) == p).all()
    assert clf.predict_proba(data[[]]).shape == (0, 2)


def test_cross_validation(data):
    est = mp.GraphClassifier("topk", **FEW)
    scores = cross_val_score(est, data, data.y, cv=StratifiedKFold(3))
    assert scores.shape == (3,) and scores.mean() > 0.6
    assert cross_val_predict(est, data, data.y, cv=3).shape == (60,)
    assert cross_val_score(est, data, data.y, cv=3, scoring="roc_auc").shape == (3,)
    two = cross_val_score(est, data, data.y, cv=StratifiedKFold(3), n_jobs=2)
    assert two.shape == (3,)


def test_grid_search(data):
    grid = GridSearchCV(mp.GraphClassifier(**FEW), {"pool": ["sag", "topk"], "score_dim": [1, 3]}, cv=2).fit(data, data.y)
    assert len(grid.cv_results_["params"]) == 4 and grid.best_estimator_.score(data) == grid.score(data, data.y)
    assert set(grid.best_params_) == {"pool", "score_dim"}
    reg = GridSearchCV(mp.GraphRegressor(**FEW), {"pool": ["sag", "topk"]}, cv=2).fit(list(data), [g.nodes for g in data])
    assert np.isfinite(reg.best_score_)


class Shuffled(TransformerMixin, BaseEstimator):
    """Graphs through NetworkX and back."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return [g.to_networkx() for g in X]


def test_pipelines(data):
    pipe = make_pipeline(Shuffled(), mp.GraphClassifier(**FEW)).fit(data, data.y)
    assert pipe.score(data, data.y) > 0.6
    assert pipe.set_params(graphclassifier__pool="topk").fit(data, data.y).predict(data[:5]).shape == (5,)
    assert clone(pipe).get_params()["graphclassifier__pool"] == "topk"
