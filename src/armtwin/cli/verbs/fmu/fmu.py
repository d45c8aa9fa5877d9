"""Export an arm's model as an FMU; run and check FMUs; build a closed loop of them."""

VERBS = ("export", "run", "check", "system")

EXAMPLES = """
armtwin fmu export ur10e --model fk --out UR10e_FK.fmu
armtwin fmu run UR10e_FK.fmu --input joints.csv --out poses.csv
armtwin fmu check UR10e_FK.fmu
armtwin fmu system ur10e --out loop.ssp
"""
