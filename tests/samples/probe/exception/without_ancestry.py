class Unhelpful(type):
    @property
    def __mro__(cls):
        raise RuntimeError


class Raised(Exception, metaclass=Unhelpful):
    pass


raise Raised
