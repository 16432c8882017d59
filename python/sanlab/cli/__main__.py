"""`python -m sanlab.cli`."""

from sanlab.cli.start import main

main()
