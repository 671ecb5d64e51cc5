"""Silence for one thread, while others are heard and nothing is changed for good."""

import logging
import threading
import warnings

from privet.engine._silenced_libraries import quiet


def said(work):
    """What is heard of warnings while something is done."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        work()
    return [str(one.message) for one in heard]


def test_warnings_of_this_thread_only():
    def work():
        warnings.warn("before", UserWarning, stacklevel=1)
        with quiet():
            warnings.warn("inside", UserWarning, stacklevel=1)
            other = threading.Thread(target=lambda: warnings.warn("beside", UserWarning, stacklevel=1))
            other.start()
            other.join()
            with quiet():
                warnings.warn("further inside", UserWarning, stacklevel=1)
            warnings.warn("inside again", UserWarning, stacklevel=1)
        warnings.warn("after", UserWarning, stacklevel=1)

    assert said(work) == ["before", "beside", "after"]


def test_threads_that_come_and_go_in_turn_leave_nothing_changed():
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()

    def first():
        with quiet("library"):
            first_in.set()
            second_in.wait(120)
        first_out.set()

    def second():
        first_in.wait(120)
        with quiet("library"):
            second_in.set()
            first_out.wait(120)

    def work():
        threads = [threading.Thread(target=each) for each in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        warnings.warn("afterwards", UserWarning, stacklevel=1)

    assert said(work) == ["afterwards"]
    assert logging.root.manager.disable == 0


def test_messages_of_the_named_libraries(caplog):
    theirs, ours = logging.getLogger("library.part"), logging.getLogger("librarian")
    with quiet("library"):
        theirs.warning("inside")
        ours.warning("another library")
    theirs.warning("after")
    assert caplog.messages == ["another library", "after"]
