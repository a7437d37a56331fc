"""Tables of what there is."""
import subprocess

import midpool as mp


def test_ops_are_those_of_the_program():
    said = subprocess.run([mp.program(), "ops"], capture_output=True, text=True, check=True).stdout
    names = [row["name"] for row in mp.ops()]
    assert len(names) == 20 and all(name in said for name in names)
    assert "alpha" in next(r["options"] for r in mp.ops() if r["name"] == "gsa")
    assert "alpha" not in next(r["options"] for r in mp.ops() if r["name"] == "topk")


def test_a_table_is_text_html_and_a_frame():
    table = mp.ops()
    assert repr(table).splitlines()[0].split()[:2] == ["name", "kind"]
    assert table._repr_html_().count("<tr>") == len(table) + 1
    assert table.to_pandas().shape == (20, 5)
    assert [r["name"] for r in mp.options("gsa") if r["name"] == "alpha"] and not [r for r in mp.options("topk") if r["name"] == "alpha"]
    assert {"mid", "ogb"} <= {r["name"] for r in mp.presets()} and "mae" in {r["name"] for r in mp.metrics()}
