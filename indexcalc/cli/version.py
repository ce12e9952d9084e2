"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version


def package_version() -> str:
    """The version, or what says that the package is not installed."""
    try:
        return version("indexcalc")
    except PackageNotFoundError:
        return "(not installed)"
