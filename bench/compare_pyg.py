#!/usr/bin/env python3
# compare_pyg.py - seconds of a training epoch: midpool beside PyTorch Geometric on the same cores, in one go.
#
# The networks are those of `midpool bench epoch` (hidden 128, batch 128, 80 % of the graphs, Adam), written from PyG's
# layers. PyG is timed twice: with its own DataLoader, which collates every epoch anew, and on batches collated before.
# Not part of the tests. SPDX-License-Identifier: MIT
import argparse, json, os, statistics, subprocess, sys, time, types, zipfile
from io import StringIO

HELP = """PyTorch and PyG must be importable; MIDPOOL_DATA names a folder of TU data sets (folders or zips).
PyTorch built against OpenBLAS picks its kernel by the processor's name: where OpenBLAS does not know the processor, set
OPENBLAS_CORETYPE (SKYLAKEX on any machine with AVX-512), or its dense products are slow and the comparison flatters
midpool. The ratio is PyG's seconds over midpool's."""


def arguments():
    p = argparse.ArgumentParser(description="Seconds of a training epoch: midpool beside PyTorch Geometric.", epilog=HELP,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--datasets", default="MUTAG,PROTEINS,NCI1,IMDB-BINARY")
    p.add_argument("--pools", default="all", help="comma-separated, or all: " + " ".join(POOLS))
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--epochs", type=int, default=5, help="timed, after one to warm up; the median is printed")
    p.add_argument("--most", type=float, default=10, help="an epoch longer than this many seconds is timed once, cold")
    p.add_argument("--device", default="cpu", help="where PyG runs: cpu or cuda; with cuda midpool is timed on the GPU as well, "
                   "one run and --group runs side by side")
    p.add_argument("--group", type=int, default=100, help="runs side by side; the time is that of one of them")
    p.add_argument("--midpool", default="midpool", help="the program")
    p.add_argument("--json", action="store_true", help="one JSON object a line")
    return p.parse_args()


# name -> arguments of midpool bench epoch; the networks are in NETS below
POOLS = {
    "topk": "--pool topk", "sag": "--pool sag", "sag-mid": "--pool sag --mid", "gsa": "--pool gsa",
    "asap": "--pool asap", "edge": "--pool edge", "set2set": "--pool set2set", "sort": "--pool sort",
    "diff": "--pool diff", "mincut": "--pool mincut", "mem": "--pool mem", "gmt": "--pool gmt",
}
ARGS = arguments()
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: ARGS.threads])

import numpy as np  # noqa: E402  after the affinity: thread pools are sized when they are loaded
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch.nn import Conv1d, Linear, Module, ModuleList, Parameter  # noqa: E402
import torch_geometric  # noqa: E402
from torch_geometric.data import Data  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402
from torch_geometric.nn import (ASAPooling, DenseGraphConv, DenseSAGEConv, EdgePooling, GATConv, GCNConv,  # noqa: E402
                                MemPooling, SAGPooling, TopKPooling, dense_diff_pool, dense_mincut_pool,
                                global_max_pool, global_mean_pool)
from torch_geometric.nn.aggr import Set2Set, SortAggregation  # noqa: E402
try:
    from torch_geometric.nn.pool.connect.filter_edges import filter_adj  # noqa: E402
    from torch_geometric.nn.pool.select.topk import topk  # noqa: E402
except ImportError:  # before PyG 2.4
    from torch_geometric.nn.pool.topk_pool import filter_adj, topk  # noqa: E402
from torch_geometric.utils import to_dense_adj, to_dense_batch  # noqa: E402

C, RATIO = 128, 0.5

# ---- data: TU text files, from a folder or a zip


def read_texts(name):
    root = os.path.join(os.environ.get("MIDPOOL_DATA", "data"), name)
    if os.path.isdir(root):
        return {f: open(os.path.join(root, f)).read() for f in os.listdir(root) if f.endswith(".txt")}
    with zipfile.ZipFile(root + ".zip") as z:
        return {os.path.basename(f): z.read(f).decode() for f in z.namelist() if f.endswith(".txt")}


def one_hot(values):
    values = values - values.min(axis=0)
    return np.concatenate([np.eye(v.max() + 1, dtype=np.float32)[v] for v in values.T], axis=1)


def features(table, degree):
    parts = []
    if "node_attributes" in table:
        parts.append(table["node_attributes"].astype(np.float32))
    if "node_labels" in table:
        parts.append(one_hot(table["node_labels"].astype(int)))
    if not parts and degree.max() > 1000:
        parts.append(((degree - degree.mean()) / degree.std()).astype(np.float32)[:, None])
    return np.concatenate(parts or [np.eye(degree.max() + 1, dtype=np.float32)[degree]], axis=1)


def read_tu(name):
    texts = read_texts(name)
    table = {}
    for part in ("A", "graph_indicator", "graph_labels", "node_labels", "node_attributes"):
        text = texts.get(f"{name}_{part}.txt")
        if text:
            table[part] = np.loadtxt(StringIO(text), delimiter=",", ndmin=2)
    edge = table["A"].astype(int).T - 1
    graph = table["graph_indicator"].astype(int)[:, 0] - 1
    _, label = np.unique(table["graph_labels"][:, 0], return_inverse=True)
    x = torch.from_numpy(features(table, np.bincount(edge[0], minlength=len(graph))))
    first = np.concatenate([[0], np.cumsum(np.bincount(graph))])
    edge = edge[:, np.lexsort((edge[1], edge[0]))]
    cut = np.searchsorted(edge[0], first)
    return [Data(x=x[first[b]:first[b + 1]], y=torch.tensor([label[b]]),
                 edge_index=torch.from_numpy(edge[:, cut[b]:cut[b + 1]] - first[b]).contiguous())
            for b in range(len(label))]


# ---- PyG's ASAPooling wants torch_sparse; where that is missing, PyTorch's own products of sparse matrices do


class Coo:
    def __init__(self, row=None, col=None, value=None, sparse_sizes=None, tensor=None):
        if tensor is None:
            value = torch.ones(row.numel()) if value is None else value
            tensor = torch.sparse_coo_tensor(torch.stack([row, col]), value, sparse_sizes)
        self.tensor = tensor.coalesce()

    def coo(self):
        row, col = self.tensor.indices()
        return row, col, self.tensor.values()


def columns(a, dim, which):
    place = torch.full((a.tensor.size(dim),), -1)
    place[which] = torch.arange(which.numel())
    row, col, value = a.coo()
    kept = place[col] >= 0
    return Coo(row[kept], place[col[kept]], value[kept], (a.tensor.size(0), which.numel()))


def without_diagonal(a):
    row, col, value = a.coo()
    off = row != col
    return Coo(row[off], col[off], value[off], a.tensor.shape)


def stand_in_for_torch_sparse():
    from torch_geometric.nn.pool import asap
    try:
        import torch_sparse  # noqa: F401
        return
    except ImportError:
        pass
    asap.SparseTensor = Coo
    asap.torch_sparse = types.SimpleNamespace(
        index_select=columns,
        t=lambda a: Coo(tensor=a.tensor.t()),
        matmul=lambda a, b: Coo(tensor=torch.sparse.mm(a.tensor, b.tensor)),
        remove_diag=without_diagonal)


# ---- pooling layers PyG does not have


class MidSag(Module):  # math.md 4: h scores, ranked by the sum of |R|, h gated copies side by side
    def __init__(self, h=5, drop=0.1):
        super().__init__()
        self.score, self.h, self.drop = GCNConv(C, h), h, drop

    def forward(self, x, edge_index, batch):
        r = self.score(x, edge_index)
        keep = topk(F.dropout(r.detach().abs().sum(1), self.drop, self.training), RATIO, batch)
        x = (r[keep].tanh().unsqueeze(2) * x[keep].unsqueeze(1)).flatten(1)
        edge_index, _ = filter_adj(edge_index, None, keep, num_nodes=r.size(0))
        return x, edge_index, None, batch[keep]


class Gsa(Module):  # math.md 3.9
    h = 1

    def __init__(self):
        super().__init__()
        self.structure, self.feature, self.fusion = GCNConv(C, 1), Linear(C, 1), GCNConv(C, C)

    def forward(self, x, edge_index, batch):
        s = 0.6 * self.structure(x, edge_index).tanh() + 0.4 * self.feature(x).tanh()
        keep = topk(s.view(-1), RATIO, batch)
        new_edges, _ = filter_adj(edge_index, None, keep, num_nodes=x.size(0))
        return self.fusion(x, edge_index)[keep] * s[keep], new_edges, None, batch[keep]


class FromPyg(Module):  # x, edges, weights, batch are the first, second, third and fourth that PyG's poolings return
    h = 1

    def __init__(self, make):
        super().__init__()
        self.pool = make()

    def forward(self, x, edge_index, batch):
        return self.pool(x, edge_index, batch=batch)[:4]


# ---- networks


class Drop(Module):  # math.md 6.1
    def __init__(self, features, classes, mean_nodes, pool):
        super().__init__()
        self.pools = ModuleList(pool() for _ in range(3))
        wide = self.pools[0].h * C
        self.convs = ModuleList([GCNConv(features, C), GCNConv(wide, C), GCNConv(wide, C)])
        self.lin = ModuleList([Linear(2 * wide, C), Linear(C, C // 2), Linear(C // 2, classes)])

    def forward(self, x, edge_index, batch, graphs):
        weight, r = None, 0
        for conv, pool in zip(self.convs, self.pools):
            x = conv(x, edge_index, weight).relu()
            x, edge_index, weight, batch = pool(x, edge_index, batch)
            r = r + torch.cat([global_max_pool(x, batch, graphs), global_mean_pool(x, batch, graphs)], dim=1)
        r = F.dropout(self.lin[0](r).relu(), 0.5, self.training)
        return self.lin[2](self.lin[1](r).relu()), 0


class Asap(FromPyg):
    def __init__(self):
        super().__init__(lambda: ASAPooling(C, RATIO))

    def forward(self, x, edge_index, batch):
        return self.pool(x, edge_index, None, batch)[:4]


class Head(Module):
    def __init__(self, width, classes):
        super().__init__()
        self.lin = ModuleList([Linear(width, C), Linear(C, C // 2), Linear(C // 2, classes)])

    def forward(self, x):
        for lin in self.lin[:2]:
            x = F.dropout(lin(x).relu(), 0.5, self.training)
        return self.lin[2](x)


class Trunk(Module):  # three convolutions
    def __init__(self, features):
        super().__init__()
        self.convs = ModuleList([GCNConv(features, C), GCNConv(C, C), GCNConv(C, C)])

    def forward(self, x, edge_index):
        out = []
        for conv in self.convs:
            x = conv(x, edge_index).relu()
            out.append(x)
        return out


class Set(Module):  # math.md 5.1
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        self.trunk, self.read, self.head = Trunk(features), Set2Set(C, processing_steps=4), Head(2 * C, classes)

    def forward(self, x, edge_index, batch, graphs):
        return self.head(self.read(self.trunk(x, edge_index)[-1], batch, dim_size=graphs)), 0


class Sort(Module):  # math.md 5.2
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        self.trunk, self.read, self.conv = Trunk(features), SortAggregation(30), Conv1d(C, 32, 5)
        self.lin1, self.lin2 = Linear(32 * 26, C), Linear(C, classes)

    def forward(self, x, edge_index, batch, graphs):
        x = self.read(self.trunk(x, edge_index)[-1], batch, dim_size=graphs).view(-1, 30, C).transpose(1, 2)
        x = self.lin1(self.conv(x).relu().flatten(1)).relu()
        return self.lin2(F.dropout(x, 0.5, self.training)), 0


class Edge(Module):  # math.md 5.4
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        self.convs = ModuleList([GCNConv(features, C), GCNConv(C, C), GCNConv(C, C)])
        self.pools = ModuleList([EdgePooling(C), EdgePooling(C)])
        self.head = Head(3 * C, classes)

    def forward(self, x, edge_index, batch, graphs):
        read = []
        for i, conv in enumerate(self.convs):
            x = conv(x, edge_index).relu()
            read.append(global_mean_pool(x, batch, graphs))
            if i < 2:
                x, edge_index, batch, _ = self.pools[i](x, edge_index, batch)
        return self.head(torch.cat(read, dim=1)), 0


class Block(Module):  # of DiffPool: two dense SAGE layers and a Linear over both
    def __init__(self, features, out):
        super().__init__()
        self.conv1, self.conv2 = DenseSAGEConv(features, C), DenseSAGEConv(C, out)
        self.lin = Linear(C + out, out)

    def forward(self, x, adj, mask=None):
        a = self.conv1(x, adj, mask).relu()
        return self.lin(torch.cat([a, self.conv2(a, adj, mask).relu()], dim=-1))


class Diff(Module):  # math.md 5.3
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        self.embed1, self.assign = Block(features, C), Block(features, int(np.ceil(RATIO * mean_nodes)))
        self.embed2, self.lin1, self.lin2 = Block(C, C), Linear(2 * C, C), Linear(C, classes)

    def forward(self, x, edge_index, batch, graphs):
        adj = to_dense_adj(edge_index, batch)
        x, mask = to_dense_batch(x, batch)
        s, x = self.assign(x, adj, mask), self.embed1(x, adj, mask).relu()
        first = (x * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)
        x, adj, _, _ = dense_diff_pool(x, adj, s, mask)
        second = self.embed2(x, adj).relu().mean(1)
        x = F.dropout(self.lin1(torch.cat([first, second], dim=1)).relu(), 0.5, self.training)
        return self.lin2(x), 0


class MinCut(Module):  # math.md 5.5
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        k1 = int(np.ceil(RATIO * mean_nodes))
        self.conv1, self.pool1, self.pool2 = GCNConv(features, C), Linear(C, k1), Linear(C, int(np.ceil(RATIO * k1)))
        self.conv2, self.conv3 = DenseGraphConv(C, C), DenseGraphConv(C, C)
        self.lin1, self.lin2 = Linear(C, C), Linear(C, classes)

    def forward(self, x, edge_index, batch, graphs):
        x = self.conv1(x, edge_index).relu()
        adj = to_dense_adj(edge_index, batch)
        x, mask = to_dense_batch(x, batch)
        x, adj, cut1, ortho1 = dense_mincut_pool(x, adj, self.pool1(x), mask)
        x = self.conv2(x, adj).relu()
        x, adj, cut2, ortho2 = dense_mincut_pool(x, adj, self.pool2(x))
        x = self.lin1(self.conv3(x, adj).mean(1)).relu()
        return self.lin2(x), cut1 + ortho1 + cut2 + ortho2


class Mem(Module):  # math.md 5.7; its auxiliary loss has a pass and an update of its own
    apart = True

    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        self.lin = Linear(features, C)
        self.norms = ModuleList(torch.nn.BatchNorm1d(C) for _ in range(2))
        self.convs = ModuleList(GATConv(C, C) for _ in range(2))
        self.mem1, self.mem2 = MemPooling(C, 80, heads=5, num_clusters=10), MemPooling(80, classes, 5, 1)

    def forward(self, x, edge_index, batch, graphs):
        x = self.lin(x)
        for norm, conv in zip(self.norms, self.convs):
            x = x + conv(F.dropout(F.leaky_relu(norm(x)), 0.1, self.training), edge_index)
        x, s1 = self.mem1(x, batch)
        x, s2 = self.mem2(F.dropout(F.leaky_relu(x), 0.1, self.training))
        return x.squeeze(1), MemPooling.kl_loss(s1) + MemPooling.kl_loss(s2)


class Mab(Module):  # math.md 5.8: one head, softmax over queries as in all published scripts
    def __init__(self, width, out, convolves=False):
        super().__init__()
        layer = GCNConv if convolves else Linear
        self.q, self.k, self.v, self.o = Linear(width, out), layer(width, out), layer(width, out), Linear(out, out)
        self.convolves = convolves

    def forward(self, q, x, edge_index=None, batch=None):
        q = self.q(q)
        if self.convolves:
            k, mask = to_dense_batch(self.k(x, edge_index), batch)
            v, _ = to_dense_batch(self.v(x, edge_index), batch)
        else:
            k, v, mask = self.k(x), self.v(x), None
        share = torch.softmax(q @ k.transpose(1, 2) / q.size(2) ** 0.5, dim=1)
        if mask is not None:
            share = share * mask.unsqueeze(1)
        o = q + share @ v
        return o + self.o(o).relu()


class Gmt(Module):
    def __init__(self, features, classes, mean_nodes):
        super().__init__()
        seeds = int(np.ceil(RATIO * mean_nodes))
        self.trunk, self.head, self.lin = Trunk(features), Head(C, classes), Linear(C, C)
        self.seeds1, self.seeds2 = Parameter(torch.rand(1, seeds, 3 * C) - 0.5), Parameter(torch.rand(1, 1, C) - 0.5)
        self.pool1, self.inner, self.pool2 = Mab(3 * C, 3 * C, True), Mab(3 * C, C), Mab(C, C)

    def forward(self, x, edge_index, batch, graphs):
        x = torch.cat(self.trunk(x, edge_index), dim=1)
        x = self.pool1(self.seeds1.expand(graphs, -1, -1), x, edge_index, batch)
        x = self.pool2(self.seeds2.expand(graphs, -1, -1), self.inner(x, x))
        return self.head(self.lin(x.squeeze(1))), 0


def drop(pool):
    return lambda f, k, n: Drop(f, k, n, pool)


NETS = {
    "topk": drop(lambda: FromPyg(lambda: TopKPooling(C, RATIO))),
    "sag": drop(lambda: FromPyg(lambda: SAGPooling(C, RATIO, GNN=GCNConv))),
    "sag-mid": drop(MidSag), "gsa": drop(Gsa), "asap": drop(Asap), "edge": Edge, "set2set": Set, "sort": Sort,
    "diff": Diff, "mincut": MinCut, "mem": Mem, "gmt": Gmt,
}

# ---- timing


def train_epoch(net, optimiser, batches, graphs):
    apart = getattr(net, "apart", False)
    for b in batches:
        b = b.to(ARGS.device)
        optimiser.zero_grad()
        out, aux = net(b.x, b.edge_index, b.batch, b.num_graphs)
        (F.cross_entropy(out, b.y) + (0 if apart else aux)).backward()
        optimiser.step()
    if apart:
        optimiser.zero_grad()
        for b in batches:
            b = b.to(ARGS.device)
            (net(b.x, b.edge_index, b.batch, b.num_graphs)[1] * b.num_graphs / graphs).backward()
        optimiser.step()


def seconds_of(run):
    start = time.perf_counter()
    run()
    if ARGS.device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def time_pyg(data, pool, collated):
    torch.manual_seed(1)
    mean_nodes = sum(d.num_nodes for d in data) / len(data)
    train = data[: int(0.8 * len(data) + 0.5)]
    net = NETS[pool](data[0].num_features, int(max(d.y for d in data)) + 1, mean_nodes).to(ARGS.device)
    optimiser = torch.optim.Adam(net.parameters(), lr=5e-4, weight_decay=1e-4)
    loader = DataLoader(train, batch_size=128, shuffle=True)
    batches = [b.to(ARGS.device) for b in loader] if collated else loader
    net.train()
    cold = seconds_of(lambda: train_epoch(net, optimiser, batches, len(train)))
    if cold > ARGS.most:
        return cold
    return statistics.median(seconds_of(lambda: train_epoch(net, optimiser, batches, len(train)))
                             for _ in range(ARGS.epochs))


def time_midpool(dataset, pool, device="cpu", group=1):
    line = f"{ARGS.midpool} bench epoch {dataset} {POOLS[pool]} --timed {ARGS.epochs} --json "
    line += f"--threads {ARGS.threads}" if device == "cpu" else f"--device {device} --group {group}"
    run = subprocess.run(line.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        return "does not run: " + run.stderr.strip().splitlines()[-1][:60]
    out = json.loads(run.stdout)
    return out.get("seconds_per_run_and_epoch", out["seconds_per_epoch"])


def forms():
    """Ways midpool is timed: a heading, a device, runs side by side."""
    return [("midpool", "cpu", 1)] + ([("gpu", "cuda", 1), (f"gpu x {ARGS.group}", "cuda", ARGS.group)]
                                      if ARGS.device == "cuda" else [])


def report(row):
    if ARGS.json:
        print(json.dumps(row), flush=True)
        return
    print(f"{row['dataset']:14} {row['pool']:8}", end="")
    for form in ("loader", "batches"):
        print(f" {row[form]:9.4f}" if isinstance(row[form], float) else f"   {row[form]}", end="")
    for name, _, _ in forms():
        ours = row[name]
        print(f" {ours:9.5f}" if isinstance(ours, float) else f"   {ours}", end="")
        for form in ("loader", "batches"):
            both = isinstance(ours, float) and isinstance(row[form], float)
            print(f" {row[form] / ours:7.1f}" if both else f" {'-':>7}", end="")
    print(flush=True)


def main():
    torch.set_num_threads(ARGS.threads)
    stand_in_for_torch_sparse()
    pools = list(POOLS) if ARGS.pools == "all" else ARGS.pools.split(",")
    print(f"PyTorch {torch.__version__}, PyG {torch_geometric.__version__}, {ARGS.threads} threads, {ARGS.device}; "
          f"seconds an epoch: PyG's, midpool's, and PyG's over midpool's", file=sys.stderr)
    if not ARGS.json:
        print(f"{'data set':14} {'pool':8} {'loader':>9} {'batches':>9}"
              + "".join(f" {name:>9} {'loader/':>7} {'batch/':>7}" for name, _, _ in forms()))
    for dataset in ARGS.datasets.split(","):
        data = read_tu(dataset)
        for pool in pools:
            row = {"dataset": dataset, "pool": pool, "threads": ARGS.threads}
            for name, device, group in forms():
                row[name] = time_midpool(dataset, pool, device, group)
            for form in ("loader", "batches"):
                try:
                    row[form] = time_pyg(data, pool, form == "batches")
                except (ImportError, NotImplementedError, RuntimeError) as e:
                    row[form] = f"does not run: {str(e)[:60]}"
            report(row)


if __name__ == "__main__":
    main()
