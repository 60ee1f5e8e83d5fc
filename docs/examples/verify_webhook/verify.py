import base64, hashlib, hmac, sys, time


def verify(secret, message_id, timestamp, signatures, body):
    """Tells whether a body (bytes) is signed with a secret, and not long ago."""
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return any(hmac.compare_digest(expected, one) for one in signatures.split())


if __name__ == "__main__":
    *given, body = sys.argv[1:]
    print("verified" if verify(*given, body.encode()) else "refused")
