class Unreadable(BaseException):
    def __str__(self):
        raise ValueError


raise Unreadable
