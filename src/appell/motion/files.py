"""Results in files: `.npz` of plain arrays and one JSON text, written whole or not at all; NetCDF and Zarr by xarray.

Nothing in a file is executed: arrays are read without pickles, and what the text describes is built from a short
list of kinds. The entries are stored as they are, so a file cannot be larger inside than outside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from ..errors import AppellError

Array = np.ndarray[Any, Any]
T = TypeVar("T")


def save(path: Any, arrays: Callable[[], dict[str, Array]], dataset: Callable[[], Any]) -> None:
    """Writes a result: by its name's ending its arrays as .npz, or its Dataset as .nc or .zarr."""
    target = Path(path)
    if target.suffix == ".npz":
        _written(target, lambda file: np.savez(file, allow_pickle=False, **arrays()))
    elif target.suffix == ".nc":
        _written(target, lambda file: file.write(dataset().to_netcdf(engine="scipy")))
    elif target.suffix == ".zarr":
        dataset().to_zarr(target, mode="w")
    else:
        raise AppellError(f"file {str(path)!r}: got the ending {target.suffix!r}, wanted .npz, .nc or .zarr")


def load(path: Any, made: Callable[[str, dict[str, Array]], T]) -> T:
    """What `made` makes of the name of an .npz file, for its sentences, and of the file's arrays."""
    where = f"file {os.fspath(path)!r}"
    try:
        with ZipFile(path) as file:
            if any(entry.compress_type != ZIP_STORED for entry in file.infolist()):
                raise AppellError(f"{where}: got compressed entries, wanted plain ones, as a run is saved")
        with np.load(path, allow_pickle=False) as file:
            return made(where, {name: file[name] for name in file.files})
    except OSError as error:
        raise AppellError(f"{where}: could not be read ({error.strerror or error})") from None
    except AppellError as error:
        raise error if str(error).startswith("file ") else AppellError(f"{where}: {error}") from None
    except (BadZipFile, ValueError, KeyError, TypeError, EOFError, RecursionError, AttributeError) as error:
        raise AppellError(f"{where} is no run that was saved whole ({error})") from None


def xarray() -> Any:
    """The library, which is an extra."""
    try:
        import xarray as found
    except ImportError:
        raise AppellError("no Dataset without xarray: python -m pip install 'appell[data]'") from None
    return found


def _written(target: Path, write: Callable[[Any], Any]) -> None:
    temporary = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with open(temporary, "xb") as file:
            write(file)
        os.replace(temporary, target)
    except OSError as error:
        raise AppellError(f"file {str(target)!r}: could not be written ({error.strerror or error})") from None
    finally:
        temporary.unlink(missing_ok=True)
