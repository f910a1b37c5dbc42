"""`python -m tao` is the command `tao`."""

from tao.cli import main

main()
