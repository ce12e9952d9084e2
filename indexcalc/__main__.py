"""``python -m indexcalc`` is the command line."""

from indexcalc.cli import main

if __name__ == "__main__":
    main()
