"""Messages are read only where everything about them is right."""

import pytest
from tests.sharing.loopback import cohort_of, signers

from privet.errors import MessageRefused
from privet.sharing._protocol_messages import (
    FRAME_BYTES,
    Frame,
    Stage,
    packed_list,
    pieces,
    unpacked_list,
)


def test_a_message_comes_back_and_no_byte_of_it_can_be_changed() -> None:
    frame, signer = Frame(cohort_of(3, 2), 5), signers(3)[1][2]
    message = frame.signed(Stage.CONFIRM, 2, b"body", signer)
    opened = frame.opened(message, Stage.CONFIRM, 2)
    assert (opened.sender, opened.stage, opened.body) == (2, Stage.CONFIRM, b"body")
    assert len(message) == FRAME_BYTES + 4
    for place in range(len(message)):
        changed = message[:place] + bytes([message[place] ^ 1]) + message[place + 1 :]
        with pytest.raises(MessageRefused):
            frame.opened(changed, Stage.CONFIRM, 2)
    for cut in (0, 10, FRAME_BYTES - 1, len(message) - 1):
        with pytest.raises(MessageRefused):
            frame.opened(message[:cut], Stage.CONFIRM, 2)


def test_a_sender_that_is_none_is_refused() -> None:
    frame = Frame(cohort_of(3, 2), 5)
    with pytest.raises(MessageRefused, match="does not have"):
        frame.opened(frame.signed(Stage.MASK, 3, b"", signers(3)[1][0]), Stage.MASK)


def test_lists_have_one_way_to_be_written() -> None:
    assert unpacked_list(packed_list([5, 1, 3]) + b"rest") == ((1, 3, 5), b"rest")
    assert unpacked_list(packed_list([])) == ((), b"")
    for wrong in (b"", b"\1", b"\2\0\1\0", b"\2\0\1\0\1\0", b"\2\0\3\0\1\0"):
        with pytest.raises(MessageRefused):
            unpacked_list(wrong)


def test_pieces_are_exact() -> None:
    assert pieces(b"abcd", 2, 2) == [b"ab", b"cd"]
    for size, count in ((3, 1), (2, 1), (2, 3)):
        with pytest.raises(MessageRefused):
            pieces(b"abcd", size, count)
