"""Maps over an arm's workspace: which positions it reaches, how well, and how exactly.

Modules:
    device: where samples are computed: all cores of the processor, or a GPU.
    cell_grid: cells of space.
    joint_ranges: the range of joints that samples are drawn from.
    reachability: the public function ``reachability``.
    cell_sums: sums over the samples of every cell.
    reach_result: ``Reachability``.
    reach_page: the result as a page.
    tool_uncertainty: the public function ``tool_uncertainty``.
    uncertainty_result: ``ToolUncertainty``.
    uncertainty_page: the result as a page.
    map_views: sections and views of a grid.
"""
