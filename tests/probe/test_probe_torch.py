"""Probes about PyTorch: what they see, and that they leave no trace."""

from verifier.probe import LocalExecutor


def truths(observed) -> list[bool | None]:
    assert observed.outcome == "done", observed
    return [check.truth for check in observed.checks]


def test_environment(with_torch) -> None:
    environment = with_torch.environment("cpu")
    assert environment is not None
    version = environment.torch.partition("+")[0]
    assert environment.id == f"torch-{version}+cpu"
    assert environment.numpy
    assert environment.isolation == "process"
    assert environment.threads == 1
    assert with_torch.environment("cpu") is environment


def test_environment_names_what_is_installed_though_not_preloaded(plain, with_torch) -> None:
    assert plain.environment("cpu") == with_torch.environment("cpu")


def test_axes_become_torch_values(with_torch, make_case) -> None:
    params = {"device": "cpu", "dtype": "float16", "out_dtype": "int64", "shape": [3, 4]}
    checks = (
        "device == torch.device('cpu')",
        "dtype is torch.float16",
        "out_dtype is torch.int64",
        "torch.zeros(shape, dtype=dtype, device=device).shape == (3, 4)",
    )
    assert (
        truths(with_torch.submit(make_case("import torch", *checks, params=params))) == [True] * 4
    )


def test_unknown_dtype_is_an_exception_of_the_set_up(with_torch, make_case) -> None:
    observed = with_torch.submit(make_case(params={"dtype": "float99"}))
    assert (observed.outcome, observed.stage) == ("exception", "setup")
    assert "float99" in observed.exception.message


def test_seed_decides_random_values(with_torch, make_case) -> None:
    probe = (
        "import random, numpy, torch\n"
        "found = (random.random(), numpy.random.rand(), torch.rand(1).item())"
    )
    case = make_case(probe, "found")
    first, again, other = (with_torch.submit(case, seed=seed) for seed in (0, 0, 1))
    assert first.checks[0].value == again.checks[0].value
    one, two = (eval(each.checks[0].value) for each in (first, other))
    assert all(a != b for a, b in zip(one, two, strict=True))


def test_seed_is_what_manual_seed_gives(with_torch, make_case) -> None:
    probe = "import torch, numpy\na, b = torch.rand(3), numpy.random.rand(3)"
    checks = (
        "(torch.manual_seed({0}), torch.equal(torch.rand(3), a))[1]",
        "(numpy.random.seed({0}), (numpy.random.rand(3) == b).all())[1]",
    )
    for seed in (0, 7):
        case = make_case(probe, *(check.format(seed) for check in checks))
        assert truths(with_torch.submit(case, seed=seed)) == [True, True]


def test_changed_libraries_do_not_reach_the_next_case(with_torch, make_case) -> None:
    probe = (
        "import torch\n"
        "torch.Tensor.is_contiguous = lambda self: 'changed'\n"
        "torch.set_default_dtype(torch.float64)\n"
        "torch.set_grad_enabled(False)\n"
        "torch.manual_seed(99)\n"
    )
    changed = with_torch.submit(make_case(probe, "torch.ones(1).is_contiguous() == 'changed'"))
    assert truths(changed) == [True]
    checks = (
        "torch.ones(1).is_contiguous() is True",
        "torch.get_default_dtype() is torch.float32",
        "torch.is_grad_enabled()",
        "torch.initial_seed() == 0",
    )
    assert truths(with_torch.submit(make_case("import torch", *checks))) == [True] * 4


def test_code_can_be_inspected_and_scripted(with_torch, make_case) -> None:
    probe = (
        "import inspect, torch\n"
        "def double(x: torch.Tensor) -> torch.Tensor:\n"
        "    return x * 2\n\n"
        "class Module(torch.nn.Module):\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        return x + 1\n"
    )
    checks = (
        "inspect.getsource(double).startswith('def double')",
        "inspect.getsourcelines(double)[1] == 11",
        "inspect.getsource(Module).endswith('return x + 1\\n')",
        "torch.jit.script(double)(torch.ones(1)).item() == 2",
        "torch.jit.script(Module())(torch.ones(1)).item() == 2",
    )
    observed = with_torch.submit(make_case(probe, *checks))
    assert truths(observed) == [True] * len(checks), observed.checks


def test_classes_of_a_probe_can_be_pickled(with_torch, make_case) -> None:
    probe = "import pickle\nclass Thing:\n    pass\n"
    check = "isinstance(pickle.loads(pickle.dumps(Thing())), Thing)"
    assert truths(with_torch.submit(make_case(probe, check))) == [True]


def test_threads_autograd_and_workers_work_after_the_fork(with_torch, make_case) -> None:
    probe = (
        "import torch\n"
        "from torch.utils.data import DataLoader\n"
        "torch.set_num_threads(2)\n"
        "x = torch.randn(600, 600, requires_grad=True)\n"
        "(x @ x).sum().backward()\n"
        "batches = list(DataLoader(range(8), batch_size=2, num_workers=2))\n"
    )
    observed = with_torch.submit(
        make_case(probe, "x.grad.shape == (600, 600)", "len(batches) == 4")
    )
    assert truths(observed) == [True, True]


def test_too_large_a_tensor_is_an_exception_not_a_catastrophe(with_torch, make_case) -> None:
    observed = with_torch.submit(make_case("import torch\ntorch.ones(25_000_000_000)"))
    assert (observed.outcome, observed.stage) == ("exception", "probe")
    assert observed.exception.type == "RuntimeError"


def test_ambiguous_truth_is_an_exception_of_the_check(with_torch, make_case) -> None:
    observed = with_torch.submit(make_case("import torch\nx = torch.ones(2)", "x == x"))
    (check,) = observed.checks
    assert check.truth is None
    assert check.exception.type == "RuntimeError"
    assert "ambiguous" in check.exception.message
    assert check.operands[0].code == "x"


def test_server_keeps_one_thread(with_torch: LocalExecutor, make_case) -> None:
    from verifier.probe.processes import thread_count

    with_torch.submit(make_case("import torch\ntorch.set_num_threads(2)"))
    assert with_torch._server is not None
    assert thread_count(with_torch._server.pid) == 1
