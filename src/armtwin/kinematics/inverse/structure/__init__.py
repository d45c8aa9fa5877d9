"""Recognition of arms with a closed form, in any convention, from their joint axes.

* ``axis_lines``: joint axes as lines in base, and where they meet
* ``branch_names``: names of branches (shoulder left, elbow up) and of singularities
* ``elbow_form``: the numbers of an arm with parallel axes 2 and 3 and a right-angled wrist
* ``forms``: ``nearest_form``: the arm as the numbers of a closed form
* ``ur_structure``: the UR structure: three parallel axes
"""
