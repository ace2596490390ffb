class Unhelpful(type):
    @property
    def __mro__(cls):
        raise RuntimeError


class RaisedError(Exception, metaclass=Unhelpful):
    pass


raise RaisedError
