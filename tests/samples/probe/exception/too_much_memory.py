bytearray(100 << 30)
