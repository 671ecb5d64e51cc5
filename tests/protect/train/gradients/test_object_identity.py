"""What objects are made of is noticed when it is exchanged, and put back."""

import types

from privet.protect.train.gradients._object_identity import Identities


class Plain:
    def __init__(self):
        self.kept = 1


class Other(Plain):
    pass


def noted(held):
    found = Identities()
    found.note("it", held)
    return found


def test_what_an_object_holds_may_change_and_what_it_is_made_of_may_not():
    one = Plain()
    found = noted(one)
    one.kept = 2
    assert found.exchanged() == []
    one.__class__ = Other
    assert found.exchanged() == ["it.__class__"]
    assert found.shown() == [Other]
    found.put_back()
    assert type(one) is Plain
    assert found.exchanged() == []


def test_a_dictionary_in_the_place_of_another_is_seen_though_it_is_equal():
    one = Plain()
    found = noted(one)
    was = one.__dict__
    one.__dict__ = dict(was)
    assert found.exchanged() == ["it.__dict__"]
    found.put_back()
    assert one.__dict__ is was


def test_a_functions_code_and_defaults_are_its_own():
    def act(x, y=1):
        return x + y

    found = noted(act)
    act.__defaults__ = ([],)
    assert found.exchanged() == ["it.__defaults__"]
    found.put_back()
    assert act.__defaults__ == (1,)
    act.__code__ = (lambda x, y=1: x - y).__code__
    assert found.exchanged() == ["it.__code__"]
    found.put_back()
    assert act(2) == 3


def test_an_equal_text_or_code_will_do_and_another_list_does_not():
    def act():
        return 1

    found = noted(act)
    act.__name__ = "".join(["a", "ct"])
    act.__code__ = types.FunctionType(act.__code__, {}).__code__.replace()
    assert found.exchanged() == []


def test_a_class_has_its_bases():
    class Made(Plain):
        pass

    found = noted(Made)
    Made.__bases__ = (Other,)
    assert found.exchanged() == ["it.__bases__"]
    found.put_back()
    assert Made.__bases__ == (Plain,)
