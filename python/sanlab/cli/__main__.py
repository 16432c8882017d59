"""`python -m sanlab.cli`."""

from sanlab.cli.main import main

main()
