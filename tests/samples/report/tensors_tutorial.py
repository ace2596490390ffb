"""A run over a small tutorial on tensors, with every verdict and sort of evidence."""

from __future__ import annotations

import random
from typing import Any

from verifier.model import (
    CaseResult,
    ClaimResult,
    Durations,
    Environment,
    Evidence,
    Frame,
    Operand,
    Place,
    Raised,
    Results,
    RunInfo,
    Source,
    Verdict,
    Warned,
)
from verifier.report.events import (
    AnyEvent,
    CaseEvent,
    ClaimEvent,
    EnvironmentEvent,
    FinishedEvent,
    RunEvent,
    SourceEvent,
)
from verifier.report.results import assemble

SOURCE = Source(
    id="tensors-tutorial",
    title="Tensors, views and memory",
    language="en",
    url="https://example.org/tutorials/tensors",
    sha256="9f2d3c1e5a7b8d60412233445566778899aabbccddeeff00112233445566aa01",
)
FILE = "claims/tensors-tutorial/tensors.yaml"
RUN = RunInfo(
    version="0.1.0",
    command="pytest claims/tensors-tutorial",
    started="2026-03-02T09:14:05+00:00",
    finished="2026-03-02T09:14:46+00:00",
    duration=41.3,
)
ENVIRONMENTS = (
    Environment(
        id="cpu",
        device="cpu",
        device_name="AMD EPYC 9654",
        torch="2.13.0",
        numpy="2.3.1",
        python="3.11.9",
        platform="Linux-6.8-x86_64",
        threads=8,
        isolation="fork, namespaces",
    ),
    Environment(
        id="cuda",
        device="cuda",
        device_name="NVIDIA H200",
        driver="580.65",
        torch="2.13.0",
        cuda="13.0",
        numpy="2.3.1",
        python="3.11.9",
        platform="Linux-6.8-x86_64",
        threads=8,
        isolation="fork, namespaces",
    ),
)
SETUP = "import torch\nimport torch.nn.functional as F\n"


def results() -> Results:
    """The results of the run."""
    return assemble(events())


def events() -> list[AnyEvent]:
    """The events of the run, in the order in which they happened."""
    found: list[AnyEvent] = [RunEvent(run=RUN), SourceEvent(source=SOURCE)]
    found += [EnvironmentEvent(environment=each) for each in ENVIRONMENTS]
    for claim, cases in _claims():
        found.append(ClaimEvent(claim=claim))
        found += [
            CaseEvent(claim=claim.id, source=claim.source, index=index, case=case)
            for index, case in enumerate(cases)
        ]
    return [*found, FinishedEvent(run=RUN)]


def claim(name: str, line: int, at: int, statement: str, **fields: Any) -> ClaimResult:
    """A claim of the tutorial; its verdict comes from its cases."""
    given: dict[str, Any] = {
        "kind": "behaviour",
        "severity": "major",
        "verdict": Verdict.NOT_CHECKED,
        "setup": SETUP,
        "probe_line": line + 8,
        **fields,
    }
    return ClaimResult(
        id=name,
        source=SOURCE.id,
        file=FILE,
        line=line,
        statement=statement,
        at=Place(lines=(at, at)),
        **given,
    )


def case(name: str, verdict: Verdict, **fields: Any) -> CaseResult:
    """A case whose id says its device first."""
    device = name.split("-")[0]
    seconds = 0.004 + len(name) / 7000
    given: dict[str, Any] = {
        "params": {"device": device},
        "environment": device,
        "durations": Durations(
            queue=0.01, fork=0.003, setup=0.0004, probe=0.0011, checks=0.0006, total=seconds
        ),
        "ledger": verdict if verdict in (Verdict.VERIFIED, Verdict.REFUTED) else None,
        **fields,
    }
    return CaseResult(id=name, verdict=verdict, **given)


def _reproduced(name: str, cases: list[CaseResult]) -> list[CaseResult]:
    import msgspec

    return [
        msgspec.structs.replace(each, reproduce=f"pytest '{FILE}::{name}[{each.id}]'")
        for each in cases
    ]


def _claims() -> list[tuple[ClaimResult, list[CaseResult]]]:
    pairs = [
        _fresh_randn(),
        _view(),
        _conv2d(),
        _contiguous(),
        _faster_mm(),
        _transpose_faster(),
        _sum_dtype(),
        _byte_storage(),
        _arange(),
        _from_numpy(),
        _deterministic(),
        _crash(),
        _advice(),
        _random_mean(),
    ]
    return [(claim, _reproduced(claim.id, cases)) for claim, cases in pairs]


def _fresh_randn() -> tuple[ClaimResult, list[CaseResult]]:
    def one(device: str, dtype: str) -> CaseResult:
        return case(
            f"{device}-{dtype}",
            Verdict.REFUTED,
            params={"device": device, "dtype": dtype},
            expected="x.is_contiguous() == False",
            observed="x.is_contiguous() is True",
            evidence=(
                Evidence(
                    role="control",
                    code="x.t().is_contiguous() == False",
                    holds=True,
                    line=23,
                    operands=(Operand(code="x.t().is_contiguous()", value="False"),),
                ),
                Evidence(
                    role="expect",
                    code="x.is_contiguous() == False",
                    holds=False,
                    line=19,
                    operands=(Operand(code="x.is_contiguous()", value="True"),),
                ),
                Evidence(
                    role="refuted_by",
                    code="x.is_contiguous() and x.stride() == (4, 1)",
                    holds=True,
                    line=21,
                    operands=(
                        Operand(code="x.is_contiguous()", value="True"),
                        Operand(code="x.stride()", value="(4, 1)"),
                    ),
                ),
            ),
        )

    return claim(
        "fresh-randn-is-not-contiguous",
        10,
        19,
        "A tensor fresh from torch.randn(3, 4) is not contiguous.",
        probe="x = torch.randn(3, 4, dtype=dtype)\n",
        ledger=Verdict.REFUTED,
        severity="critical",
        explanation=(
            "Factory functions such as torch.randn allocate one block of memory and fill it row "
            "by row. A fresh (3, 4) tensor has the strides (4, 1), which is what contiguous means."
        ),
        correction=(
            "A tensor fresh from torch.randn(3, 4) is contiguous; its transpose x.t() is not."
        ),
        references=(
            "https://pytorch.org/docs/stable/generated/torch.Tensor.is_contiguous.html",
            "https://pytorch.org/docs/stable/tensor_view.html",
        ),
        tags=("memory-layout",),
    ), [one(device, dtype) for device in ("cpu", "cuda") for dtype in ("float32", "float16")]


def _view() -> tuple[ClaimResult, list[CaseResult]]:
    evidence = (
        Evidence(
            role="control",
            code="x.clone().data_ptr() != before",
            holds=True,
            line=46,
            operands=(
                Operand(code="x.clone().data_ptr()", value="94372108"),
                Operand(code="before", value="94371840"),
            ),
        ),
        Evidence(
            role="expect",
            code="y.data_ptr() != before",
            holds=False,
            line=41,
            operands=(
                Operand(code="y.data_ptr()", value="94371840"),
                Operand(code="before", value="94371840"),
            ),
        ),
        Evidence(
            role="refuted_by",
            code="y.data_ptr() == before and y.shape == (4, 3)",
            holds=True,
            line=44,
            operands=(
                Operand(code="y.data_ptr()", value="94371840"),
                Operand(code="y.shape", value="torch.Size([4, 3])"),
            ),
        ),
    )
    return claim(
        "view-changes-layout-not-shape",
        30,
        27,
        "view() changes the memory layout of a tensor but not its shape.",
        probe=(
            "x = torch.arange(12.).reshape(3, 4)\nbefore = x.data_ptr()\n"
            "y = x.view(4, 3)  # the same twelve numbers\n"
        ),
        ledger=Verdict.REFUTED,
        explanation="view() gives a second tensor that looks at the same memory in another shape.",
        correction="view() changes the shape of a tensor but not its memory.",
        references=("https://pytorch.org/docs/stable/generated/torch.Tensor.view.html",),
    ), [
        case(
            "cpu",
            Verdict.REFUTED,
            expected="y.data_ptr() != before",
            observed="y.data_ptr() is 94371840, before is 94371840",
            evidence=evidence,
        )
    ]


def _conv2d() -> tuple[ClaimResult, list[CaseResult]]:
    raised = Raised(
        types=("RuntimeError", "Exception", "BaseException"),
        message=(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [3, 4]"
        ),
        frames=(Frame(file=FILE, line=63, name="<expect>", text="F.conv2d(x, y)"),),
    )

    def one(device: str) -> CaseResult:
        return case(
            device,
            Verdict.REFUTED,
            ledger=None,
            agrees=False,
            expected="F.conv2d(x, y) runs",
            observed=str(raised),
            exception=raised,
            evidence=(
                Evidence(
                    role="control",
                    code="F.conv2d(torch.ones(1, 1, 3, 4), torch.ones(1, 1, 2, 2)).shape "
                    "== (1, 1, 2, 3)",
                    holds=True,
                    line=67,
                    operands=(
                        Operand(
                            code="F.conv2d(torch.ones(1, 1, 3, 4), torch.ones(1, 1, 2, 2)).shape",
                            value="torch.Size([1, 1, 2, 3])",
                        ),
                    ),
                ),
                Evidence(
                    role="expect",
                    code="F.conv2d(x, y)",
                    holds=False,
                    detail=f"raised {raised}",
                    line=63,
                ),
                Evidence(
                    role="refuted_by",
                    code="raises RuntimeError matching 'Expected 3D .* or 4D .* input to conv2d'",
                    holds=True,
                    detail=f"raised {raised}",
                    line=65,
                ),
            ),
        )

    return claim(
        "conv2d-accepts-matrices",
        54,
        38,
        "F.conv2d accepts two (3, 4) tensors.",
        kind="error",
        probe="x, y = torch.randn(3, 4), torch.randn(3, 4)\n",
        correction="F.conv2d needs a 3-D or 4-D input and a 4-D weight.",
        explanation="A convolution needs to know which axis holds the channels.",
        references=("https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html",),
    ), [one("cpu"), one("cuda")]


def _contiguous() -> tuple[ClaimResult, list[CaseResult]]:
    def one(shape: list[int]) -> CaseResult:
        name = "x".join(map(str, shape)) or "0d"
        return case(
            f"cpu-{name}",
            Verdict.VERIFIED,
            params={"device": "cpu", "shape": shape},
            expected="y is x",
            observed="y is x",
            evidence=(
                Evidence(role="expect", code="y is x", holds=True, line=82),
                Evidence(
                    role="expect",
                    code="y.data_ptr() == x.data_ptr()",
                    holds=True,
                    line=83,
                    operands=(
                        Operand(code="y.data_ptr()", value="94371840"),
                        Operand(code="x.data_ptr()", value="94371840"),
                    ),
                ),
            ),
        )

    return claim(
        "contiguous-is-a-no-op",
        70,
        45,
        "contiguous() on a tensor that is already contiguous has no effect.",
        probe="x = torch.randn(shape, device=device)\ny = x.contiguous()\n",
        ledger=Verdict.VERIFIED,
    ), [one([3, 4]), one([0, 4]), one([])]


def _samples(ratio: float, spread: float, count: int) -> tuple[float, ...]:
    draw = random.Random(7)
    return tuple(round(draw.gauss(ratio, spread), 4) for _ in range(count))


def _faster_mm() -> tuple[ClaimResult, list[CaseResult]]:
    slower = (
        "It does not hold that `torch.mm(y, w)` is faster than `torch.mm(x, w)` by more than 5 %: "
        "`torch.mm(y, w)` was measured to be as fast within 5 %"
    )
    return claim(
        "contiguous-speeds-up-mm",
        92,
        47,
        "Calling contiguous() first makes torch.mm faster.",
        kind="performance",
        severity="critical",
        probe=(
            "x = torch.randn(n, n, device=device)\nw = torch.randn(n, n, device=device)\n"
            "y = x.contiguous()\n"
        ),
        ledger=Verdict.VERIFIED,
        correction="A fresh tensor is contiguous already; contiguous() then changes nothing.",
        explanation="The recorded verdict came from a stopwatch; both sides are one tensor.",
    ), [
        case(
            "cpu-256",
            Verdict.REFUTED,
            params={"device": "cpu", "n": 256},
            ledger=Verdict.VERIFIED,
            agrees=False,
            detail=f"{slower}.",
            expected="`torch.mm(y, w)` is faster than `torch.mm(x, w)` by more than 5 %",
            observed="`torch.mm(y, w)` was measured to be as fast within 5 %",
            evidence=(
                Evidence(
                    role="expect",
                    code="torch.mm(x, w)\ntorch.mm(y, w)",
                    holds=False,
                    line=104,
                    detail=f"{slower}.",
                ),
            ),
            samples=_samples(1.0, 0.012, 40),
            interval=(0.991, 1.008),
        ),
        case(
            "cuda-256",
            Verdict.NOT_CHECKED,
            params={"device": "cuda", "n": 256},
            ledger=Verdict.VERIFIED,
            reason="no-device",
            detail="no cuda device",
        ),
    ]


def _transpose_faster() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "row-sum-is-faster",
        112,
        52,
        "Summing along rows is faster than summing along columns.",
        kind="performance",
        severity="minor",
        probe="x = torch.randn(n, n, device=device)\n",
        ledger=Verdict.VERIFIED,
    ), [
        case(
            "cpu-1024",
            Verdict.INCONCLUSIVE,
            params={"device": "cpu", "n": 1024},
            ledger=Verdict.VERIFIED,
            reason="undecided",
            detail="The times measured do not decide. The interval reaches across the margin.",
            expected="`x.sum(1)` is faster than `x.sum(0)` by more than 5 %",
            observed="the interval measured reaches across the margin",
            samples=_samples(1.06, 0.05, 64),
            interval=(0.981, 1.149),
        )
    ]


def _sum_dtype() -> tuple[ClaimResult, list[CaseResult]]:
    def one(dtype: str, shown: str, verdict: Verdict) -> CaseResult:
        return case(
            f"cpu-{dtype}",
            verdict,
            params={"device": "cpu", "dtype": dtype},
            expected="x.sum().dtype == dtype",
            observed=f"x.sum().dtype is torch.{shown}",
            evidence=(
                Evidence(
                    role="expect",
                    code="x.sum().dtype == dtype",
                    holds=verdict == Verdict.VERIFIED,
                    line=139,
                    operands=(
                        Operand(code="x.sum().dtype", value=f"torch.{shown}"),
                        Operand(code="dtype", value=f"torch.{dtype}"),
                    ),
                ),
            ),
        )

    return claim(
        "sum-keeps-the-dtype",
        128,
        58,
        "sum() keeps the dtype of the tensor.",
        severity="minor",
        probe="x = torch.ones(10, dtype=dtype)\n",
        ledger=Verdict.REFUTED,
        correction="sum() keeps floating-point dtypes; smaller integers and bools become int64.",
        explanation="Integer sums are widened to int64 so that they do not overflow.",
    ), [
        one("float32", "float32", Verdict.VERIFIED),
        one("int32", "int64", Verdict.REFUTED),
        one("bool", "int64", Verdict.REFUTED),
    ]


def _byte_storage() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "byte-storage-is-deprecated",
        148,
        61,
        "torch.ByteStorage still works, with a warning.",
        kind="existence",
        severity="info",
        probe="s = torch.ByteStorage(12)\n",
    ), [
        case(
            "cpu",
            Verdict.VERIFIED,
            warnings=(
                Warned(
                    types=("UserWarning", "Warning"),
                    message="TypedStorage is deprecated. It will be removed in the future.",
                    line=156,
                ),
            ),
            evidence=(
                Evidence(
                    role="expect",
                    code="len(s) == 12",
                    holds=True,
                    line=158,
                    operands=(Operand(code="len(s)", value="12"),),
                ),
            ),
        )
    ]


def _arange() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "arange-prints-twelve",
        162,
        66,
        "The program prints the numbers from 0 to 11 in three rows.",
        kind="output",
        probe="x = torch.arange(12).reshape(3, 4)\nprint(x)\n",
        ledger=Verdict.VERIFIED,
    ), [
        case(
            "cpu",
            Verdict.VERIFIED,
            remarks=("representation-drift",),
            stdout=(
                "tensor([[ 0,  1,  2,  3],\n        [ 4,  5,  6,  7],\n        [ 8,  9, 10, 11]])\n"
            ),
        )
    ]


def _from_numpy() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "from-numpy-shares-memory",
        176,
        71,
        "torch.from_numpy shares memory with the array.",
        kind="memory",
        probe="a = numpy.zeros(3)\nx = torch.from_numpy(a)\nx[0] = 1\n",
        ledger=Verdict.VERIFIED,
    ), [
        case(
            "cpu",
            Verdict.VERIFIED,
            evidence=(
                Evidence(
                    role="expect",
                    code="shares memory: x and a",
                    holds=True,
                    line=186,
                    detail="a write to one is seen in the other",
                ),
            ),
        )
    ]


def _deterministic() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "cuda-streams-are-ordered",
        190,
        77,
        "Work on one CUDA stream runs in the order in which it was submitted.",
        probe="s = torch.cuda.Stream()\n",
        ledger=Verdict.VERIFIED,
    ), [
        case(
            "cuda",
            Verdict.NOT_CHECKED,
            reason="no-device",
            detail="no cuda device",
            ledger=Verdict.VERIFIED,
        )
    ]


def _crash() -> tuple[ClaimResult, list[CaseResult]]:
    raised = Raised(
        types=("NameError", "Exception", "BaseException"),
        message="name 'toch' is not defined",
        frames=(Frame(file=FILE, line=213, name="<probe>", text="x = toch.zeros(3)"),),
    )
    return claim(
        "zeros-is-float",
        204,
        80,
        "torch.zeros gives a tensor of floating-point numbers.",
        probe="x = toch.zeros(3)\n",
        ledger=Verdict.VERIFIED,
    ), [
        case(
            "cpu",
            Verdict.ERROR,
            ledger=Verdict.VERIFIED,
            agrees=False,
            reason="probe-raised",
            detail="the probe raised NameError: name 'toch' is not defined",
            exception=raised,
            stderr="warming up\n",
        )
    ]


def _advice() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "prefer-readable-code",
        220,
        85,
        "You should prefer readable code to fast code.",
        severity="info",
        verdict=Verdict.UNVERIFIABLE,
        reason="Advice: there is nothing to run.",
        setup="",
    ), []


def _random_mean() -> tuple[ClaimResult, list[CaseResult]]:
    return claim(
        "mean-of-randn-is-zero",
        228,
        90,
        "The mean of torch.randn(100) is below 0.1.",
        severity="minor",
        probe="x = torch.randn(100)\n",
    ), [
        case(
            "cpu",
            Verdict.INCONCLUSIVE,
            reason="seeds-differ",
            detail="holds with 5 of 8 seeds",
            expected="x.mean().abs() < 0.1",
            observed="x.mean().abs() is 0.1372",
        )
    ]
