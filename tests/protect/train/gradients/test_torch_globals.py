"""What threads share in torch: each has the generator for itself, and finds everything as it was."""

import threading

import torch

from privet.protect.train.gradients._torch_globals import limited_threads, own_generator


def test_a_seed_gives_its_numbers_whatever_other_threads_draw():
    found, start = {}, threading.Barrier(4)

    def draw(seed):
        start.wait()
        for _ in range(20):
            with own_generator(seed):
                first = torch.rand(3)
                found.setdefault(seed, []).append(torch.cat([first, torch.rand(3)]).tolist())

    threads = [threading.Thread(target=draw, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in range(4):
        wanted = torch.Generator().manual_seed(seed)
        numbers = torch.cat([torch.rand(3, generator=wanted), torch.rand(3, generator=wanted)]).tolist()
        assert found[seed] == [numbers] * 20


def test_only_one_thread_has_the_generator():
    held, done = threading.Event(), threading.Event()

    def draw():
        held.wait(120)
        with own_generator(1):
            done.set()

    other = threading.Thread(target=draw)
    other.start()
    with own_generator(0), own_generator():
        held.set()
        assert not done.wait(0.3)
    other.join()
    assert done.is_set()


def test_the_callers_numbers_go_on_as_they_would_have():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    with own_generator(0):
        torch.rand(3)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_number_of_threads_comes_back_though_others_left_in_between():
    before = torch.get_num_threads()
    first_in, second_in, first_out = threading.Event(), threading.Event(), threading.Event()
    seen = []

    def first():
        with limited_threads(before + 1):
            first_in.set()
            second_in.wait(120)
        first_out.set()

    def second():
        first_in.wait(120)
        with limited_threads(before + 2):
            seen.append(torch.get_num_threads())
            second_in.set()
            first_out.wait(120)
        seen.append(torch.get_num_threads())

    threads = [threading.Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    fresh.start()
    fresh.join()
    assert seen == [before + 2, before, before]


def test_without_a_wish_nothing_is_set():
    before = torch.get_num_threads()
    with limited_threads(None):
        assert torch.get_num_threads() == before
