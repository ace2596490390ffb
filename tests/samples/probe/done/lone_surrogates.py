import warnings

warnings.warn("\ud800", stacklevel=1)
