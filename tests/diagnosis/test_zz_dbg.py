from __future__ import annotations
import pytest
from tests.builders import make_case
from tests.diagnosis.cases import read_into
from apps.ingest.samples import cfs_ping_pong, gfs2_backup
from apps.diagnosis.viewfiles import ViewFiles
from tests.ingest.material import bundle
from apps.diagnosis.waitgraph import WaitGraph
pytestmark = pytest.mark.django_db
def test_x(folk):
    c=make_case(folk.team); d=read_into(c,cfs_ping_pong.build()); v=ViewFiles(d)
    print("FLOWS",v.table("flows")); l=v.locks(0,1<<62); print("LOCKS",None if l is None else (l.height, l["node"].unique().to_list())); print(d.verdict_title, d.products)
    c=make_case(folk.team); d=read_into(c,gfs2_backup.build()); v=ViewFiles(d); print(v.table("objects").select("kind","object","scope","waiters","holder").to_dicts()[:4])
    c=make_case(folk.team); d=read_into(c,bundle()); print(d.summary["waits_for"][:4], d.summary["roots"], d.summary["nodes"]); print(ViewFiles(d).spans().head(2).collect().to_dicts())
    g=WaitGraph(d.summary); print({b["id"]:(b["kind"],b["root"]) for b in g.drawing(())["boxes"]})
    assert 0
