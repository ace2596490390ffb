"""Limits: defaults, settings, claims."""

import dataclasses
import resource

from verifier.probe import Limits, confine
from verifier.probe.jobs import limits_for


@dataclasses.dataclass
class Settings:
    timeout: float | None = None
    memory: int | None = None


def test_settings_change_what_they_name() -> None:
    assert Limits.of(Settings()) == Limits()
    changed = Limits.of(Settings(timeout=3.5, memory=100))
    assert (changed.wall, changed.cpu, changed.memory) == (3.5, 3.5, 100 << 20)
    assert changed.case_memory == Limits().case_memory


def test_a_case_may_have_as_much_as_one_process() -> None:
    assert Limits.of(Settings(memory=8192)).case_memory == 8192 << 20


def test_a_claim_sets_its_own_time(make_case) -> None:
    limits = Limits()
    assert limits_for(make_case(), limits) is limits
    own = limits_for(make_case(timeout=60.0), limits)
    assert (own.wall, own.cpu, own.memory) == (60.0, 60.0, limits.memory)


def test_limits_reach_the_probe(plain, make_case) -> None:
    limits = plain.limits
    checks = (
        f"resource.getrlimit(resource.RLIMIT_CPU)[0] == {int(limits.cpu)}",
        f"resource.getrlimit(resource.RLIMIT_FSIZE)[1] == {limits.file}",
        "resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)",
        f"resource.getrlimit(resource.RLIMIT_AS)[0] > {limits.memory}",
        "'NoNewPrivs:\\t1' in open('/proc/self/status').read()",
    )
    observed = plain.submit(make_case("import resource", *checks))
    assert [check.truth for check in observed.checks] == [True] * len(checks), observed.checks


def test_a_lower_limit_stays(monkeypatch) -> None:
    told = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (50, 100))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: told.append(pair))
    confine._limit(resource.RLIMIT_FSIZE, 1000)
    confine._limit(resource.RLIMIT_FSIZE, 10, 20)
    assert told == [(100, 100), (10, 20)]


def test_level_is_named() -> None:
    assert confine.name(confine.working()) == "process"
