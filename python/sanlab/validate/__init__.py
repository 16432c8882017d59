"""Published evaluations beside our simulation of them.

A study is a folder under `studies/`: scenario files, the published figures, what was fitted, and a
`study.yaml` that says which runs give which figure. `study` reads it, `cases` spells its runs out,
`metrics` takes a figure from a run, `rows` compares, `page` shows, `execute` does it all.
"""

from sanlab.validate.execute import Validation, validate
from sanlab.validate.study import Study, load_study, study_names

__all__ = ["Study", "Validation", "load_study", "study_names", "validate"]
