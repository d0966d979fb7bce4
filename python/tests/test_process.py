"""The process of the oracle: it dies, talks nonsense, is asked by many threads, after forks and thousands of times."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import migopt
import pytest
from conftest import FakeOracle
from migopt.process import OracleProcess


def pieces(count: int, name: str = "pieces") -> dict[str, object]:
    """So many pieces of four for servers of ten: half as many servers, rounded up."""
    section = {
        "servers": [{"name": "server", "count": 5, "memory_gib": 10, "capacity": {"cpu": 8}}],
        "vms": [{"name": "piece", "replicas": count, "memory_gib": 4, "request": {"cpu": 1}}],
    }
    return {"name": name, "sharing": section}


def numbered(number: int) -> dict[str, object]:
    """An instance of its own name and of one to four pieces."""
    return pieces(number % 4 + 1, f"number-{number}")


def answers_to_numbered(count: int) -> list[tuple[str, int]]:
    """Names and optima of the first numbered instances."""
    return [(f"number-{number}", [1, 1, 2, 2][number % 4]) for number in range(count)]


ANSWER_QUESTION = "answer(line, question={'line': line, **request})"


def test_a_process_that_dies_fails_the_question_and_is_started_again(fake_oracle: FakeOracle) -> None:
    program = fake_oracle(
        f"""
        for line, request in requests:
            if request["instance"] == "die":
                sys.stderr.write("thread panicked: alas")
                sys.exit(101)
            {ANSWER_QUESTION}
        """
    )
    with migopt.Oracle(program) as oracle:
        assert oracle.question("one")["line"] == 1  # type: ignore[typeddict-item]
        assert oracle.question("two")["line"] == 2  # type: ignore[typeddict-item]
        with pytest.raises(migopt.OracleFailed, match="exit code 101; 1 of 3 requests.*\n.*panicked: alas"):
            oracle.question("die")
        assert oracle.question("three")["line"] == 1  # type: ignore[typeddict-item]


def test_a_process_that_is_killed_is_told_with_its_signal(fake_oracle: FakeOracle) -> None:
    program = fake_oracle("for line, request in requests: os.kill(os.getpid(), signal.SIGKILL)")
    with migopt.Oracle(program) as oracle, pytest.raises(migopt.OracleFailed, match="signal 9"):
        oracle.question("x")


def test_all_questions_under_way_fail_when_the_process_dies(fake_oracle: FakeOracle) -> None:
    program = fake_oracle(
        """
        for line, request in requests:
            if line == 20:
                sys.exit(3)
        """
    )
    process = OracleProcess([str(program)])
    futures = [process.submit({}) for _ in range(20)]
    for future in futures:
        with pytest.raises(migopt.OracleFailed, match="exit code 3"):
            future.result(timeout=30)
    assert process.has_ended
    with pytest.raises(migopt.OracleFailed):
        process.submit({}).result(timeout=30)
    process.close()


@pytest.mark.parametrize(
    "nonsense", ["no json", "[1]", '{"line": 2}', '{"question": {}}'], ids=["text", "list", "line", "no-line"]
)
def test_nonsense_is_no_answer(fake_oracle: FakeOracle, nonsense: str) -> None:
    program = fake_oracle(
        f"""
        for line, request in requests:
            print({nonsense!r}, flush=True)
            time.sleep(60)
        """
    )
    with migopt.Oracle(program) as oracle, pytest.raises(migopt.OracleFailed, match="no response to the request"):
        oracle.question("x")


def test_an_answer_that_nobody_asked_for_ends_the_process(fake_oracle: FakeOracle) -> None:
    program = fake_oracle(
        f"""
        for line, request in requests:
            {ANSWER_QUESTION}
            answer(line)
        """
    )
    with migopt.Oracle(program) as oracle:
        oracle.question("x")
        deadline = time.monotonic() + 30
        while oracle._connection._process is not None and not oracle._connection._process.has_ended:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        oracle.question("y")


def test_a_program_that_is_none_is_told(tmp_path: Path) -> None:
    program = tmp_path / "migopt"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with migopt.Oracle(program) as oracle, pytest.raises(migopt.OracleFailed, match="does not start"):
        oracle.question("x")


def test_full_pipes_do_not_wait_for_each_other(fake_oracle: FakeOracle) -> None:
    # Every line is larger than a pipe holds, and the process reads no line before it has written the last answer.
    program = fake_oracle(f"for line, request in requests: {ANSWER_QUESTION}")
    with migopt.Oracle(program) as oracle:
        texts = [str(number) + "x" * 300_000 for number in range(50)]
        requests: list[dict[str, object]] = [{"task": "question", "instance": text} for text in texts]
        answers = [response["question"]["instance"] for response in oracle._connection.pipeline(requests)]
        assert answers == texts


def test_an_internal_error_is_the_oracles_fault(fake_oracle: FakeOracle) -> None:
    program = fake_oracle(
        """
        for line, request in requests:
            answer(line, error={"kind": "internal", "message": "the solver failed"})
        """
    )
    with migopt.Oracle(program) as oracle, pytest.raises(migopt.OracleFailed, match="the solver failed"):
        oracle.question("x")


def test_closing_ends_the_process_and_fails_who_waits(fake_oracle: FakeOracle) -> None:
    program = fake_oracle("for line, request in requests: time.sleep(600)")
    oracle = migopt.Oracle(program)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            oracle.question("x")
        except migopt.OracleFailed as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    deadline = time.monotonic() + 30
    while oracle._connection._process is None or not oracle._connection._process._waiting:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    oracle.close()
    thread.join(timeout=30)
    assert len(failures) == 1


def test_ctrl_c_ends_a_process_that_still_computes(fake_oracle: FakeOracle) -> None:
    program = fake_oracle("for line, request in requests: time.sleep(600)")
    # Who runs the tests in the background may have told them to ignore Ctrl-C.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with migopt.Oracle(program) as oracle:
            main = threading.main_thread().ident
            assert main is not None
            interrupt = threading.Timer(0.5, signal.pthread_kill, [main, signal.SIGINT])
            interrupt.start()
            with pytest.raises(KeyboardInterrupt):
                oracle.question("x")
            interrupt.join()
            assert oracle._connection._process is None
    finally:
        signal.signal(signal.SIGINT, handler)


def test_an_oracle_that_nobody_holds_ends_its_process() -> None:
    oracle = migopt.Oracle()
    oracle.solve(pieces(2))
    process = oracle._connection._process
    assert process is not None and not process.has_ended
    del oracle
    gc.collect()
    assert process.has_ended


def test_defaults_hold_where_a_question_does_not_say_otherwise(fake_oracle: FakeOracle) -> None:
    program = fake_oracle(f"for line, request in requests: {ANSWER_QUESTION}")
    with migopt.Oracle(program, model="sharing", optimum="any-servers", time_limit=5) as oracle:
        asked = dict(oracle.question("x"))
        assert asked == {
            "line": 1,
            "task": "question",
            "instance": "x",
            "model": "sharing",
            "optimum": "any-servers",
            "seed": 0,
        }
        assert dict(oracle.question("x", model="wpm", optimum="first-m-of-the-order"))["model"] == "wpm"
        request = oracle._request("solve", "x", None, {"time_limit": 9})
        assert (request["time_limit"], request["optimum"]) == (9, "any-servers")


def test_jobs_are_those_of_the_process(fake_oracle: FakeOracle) -> None:
    program = fake_oracle("for line, request in requests: answer(line, question={'arguments': sys.argv[1:]})")
    with migopt.Oracle(program, jobs=3) as oracle:
        assert dict(oracle.question("x")) == {"arguments": ["oracle", "--jobs", "3"]}


@pytest.mark.parametrize("jobs", [1, 2])
def test_thousands_of_questions_are_answered_in_order(jobs: int) -> None:
    with migopt.Oracle(jobs=jobs) as oracle:
        results = list(oracle.solve_many(numbered(number) for number in range(3000)))
    assert [(result.instance, result.value) for result in results] == answers_to_numbered(3000)


def test_threads_get_the_answers_to_their_own_questions() -> None:
    with migopt.Oracle(jobs=2) as oracle, ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: oracle.solve(numbered(number)), range(400)))
    assert [(result.instance, result.value) for result in results] == answers_to_numbered(400)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_process_of_its_own() -> None:
    with migopt.Oracle() as oracle:
        assert oracle.solve(pieces(2)).value == 1
        reader, writer = os.pipe()
        # A thread holds the lock at the fork, which nobody would ever release in the child.
        with oracle._connection._lock:
            child = os.fork()
        if child == 0:
            try:
                os.write(writer, f"{oracle.solve(pieces(3)).value} {oracle.solve(pieces(1)).value}".encode())
                oracle.close()
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            assert pipe.read() == "2 1"
        os.waitpid(child, 0)
        # The child has neither read the parent's answers nor ended its process.
        process = oracle._connection._process
        assert oracle.solve(pieces(4)).value == 2
        assert oracle._connection._process is process


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_programs_end_cleanly_whoever_forks() -> None:
    script = f"""
import json, os, sys, warnings
warnings.simplefilter("ignore")
import migopt
instance = json.loads({json.dumps(json.dumps(pieces(3)))})
print(migopt.solve(instance).value, flush=True)
child = os.fork()
if child == 0:
    print(migopt.solve(instance).value, flush=True)
    sys.exit(0)  # with the ends of a program: the parent's process is not the child's to end
print(os.waitpid(child, 0)[1], migopt.solve(instance).value, flush=True)
"""
    ended = subprocess.run([sys.executable, "-X", "dev", "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.stdout.splitlines(), ended.stderr, ended.returncode) == (["2", "2", "0 2"], "", 0)


def test_no_process_is_left_behind() -> None:
    script = f"""
import json, migopt
migopt.solve(json.loads({json.dumps(json.dumps(pieces(2)))}))
print(migopt._oracle._connection._process._process.pid)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(ended.stdout), 0)
