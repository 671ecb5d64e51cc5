"""Places are named from the top down, and know their parents, children and leaves."""

from tests.protect.tabulate.spines import tree_of

from privet.protect.tabulate._spine_tree import TOP, make_tree


def test_places_are_named_from_the_top_down():
    tree = make_tree(["state", "county"], [("N", "Hill"), ("S", "Hill"), ("N", "Lake")])
    assert [level.places for level in tree.levels] == [
        ((),),
        (("N",), ("S",)),
        (("N", "Hill"), ("S", "Hill"), ("N", "Lake")),
    ]
    assert tree.levels[2].parents.tolist() == [0, 1, 0]
    assert [family.tolist() for family in tree.families(1)] == [[0, 2], [1]]
    assert tree.of_leaves(1).tolist() == [0, 1, 0]
    assert tree.of_leaves(0).tolist() == [0, 0, 0]


def test_every_leaf_lies_in_one_place_of_each_level():
    tree = tree_of(2, [1, 3], 2)
    assert [len(level) for level in tree.levels] == [1, 2, 4, 8]
    for depth in range(3):
        families = tree.families(depth)
        assert sorted(child for family in families for child in family.tolist()) == list(
            range(len(tree.levels[depth + 1]))
        )
        for at, place in enumerate(tree.of_leaves(depth).tolist()):
            assert tree.leaves.places[at][:depth] == tree.levels[depth].places[place]
    assert [family.tolist() for family in tree.families(1)] == [[0], [1, 2, 3]]


def test_levels_have_the_names_of_their_columns():
    tree = tree_of(2, 2)
    assert [level.name for level in tree.levels] == [TOP, "level0", "level1"]
    assert [tree.depth(name) for name in (TOP, "level1")] == [0, 2]
    assert tree.leaves.position[1, 0] == 2
    assert tree.of_leaves(2).tolist() == [0, 1, 2, 3]


def test_two_places_of_one_name_in_two_states_are_two():
    tree = make_tree(["state", "county"], [("N", "Hill"), ("S", "Hill")])
    assert len(tree.levels[2]) == 2
    assert tree.levels[2].parents.tolist() == [0, 1]
