"""Makes tokens with joserfc, good ones and bad ones, for the tests of Identity.

Arguments: now in seconds; then for each key that encrypts: its algorithm, its kid and the path of its PEM.
Prints lines of tabs: "key NAME PEM-as-base64 JWK-as-JSON", then "token NAME EXPECTED TOKEN", then "done".
EXPECTED is "taken" or the reason of the refusal. The issuer of a token is "https://NAME-of-its-key/".
"""

import base64
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from joserfc import jwe, jws
from joserfc.jwk import ECKey, OctKey, RSAKey

now = int(sys.argv[1])
encryption_keys = [sys.argv[i : i + 3] for i in range(2, len(sys.argv), 3)]
secret = OctKey.import_key("joserfc-secret-of-sixty-four-bytes-for-every-algorithm-in-the-li")


def out(*words):
    print("\t".join(words), flush=True)


def claims(issuer, **changes):
    members = {"iss": issuer, "sub": "zoë", "iat": now, "exp": now + 600, "name": "Zoë 😀"}
    members.update(changes)
    return {name: value for name, value in members.items() if value is not None}


def part(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(algorithm, key, content, **header):
    payload = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    return jws.serialize_compact({"alg": algorithm, **header}, payload, key, algorithms=[algorithm])


def by_hand(header, content, make):
    """Signs what the library would not."""
    text = part(header) + "." + part(content)
    return text + "." + part(make(text.encode()))


keys = {
    "RS256": RSAKey.generate_key(2048, {"kid": "rsa-1", "use": "sig"}),
    "PS256": RSAKey.generate_key(3072, {"kid": "rsa-2", "alg": "PS256"}),
    "ES256": ECKey.generate_key("P-256", {"kid": "ec-1", "key_ops": ["verify", "sign"]}),
}
for name, key in keys.items():
    shown = dict(key.as_dict(private=False))
    shown.pop("key_ops", None)
    out("key", name, base64.b64encode(key.as_pem(private=False)).decode(), json.dumps(shown))

good = []
for name, key in keys.items():
    issuer = f"https://{name}/"
    kid = key.as_dict(private=False)["kid"]
    token = sign(name, key, claims(issuer))
    good.append((name, token))
    out("token", name, "taken", token)
    out("token", f"{name} with kid", "taken", sign(name, key, claims(issuer), kid=kid, typ="JWT"))
    out("token", f"{name} by a published key", "taken", sign(name, key, claims(issuer + "published"), kid=kid))
    out("token", f"{name} by a key that is not published", "unknown_key", sign(name, key, claims(issuer + "published"), kid="x"))
    out("token", f"{name} expired", "token_expired", sign(name, key, claims(issuer, exp=now - 10)))
    out("token", f"{name} with fractions", "taken", sign(name, key, claims(issuer, iat=now + 0.5, exp=now + 600.5)))
    out("token", f"{name} without sub", "missing_claim", sign(name, key, claims(issuer, sub=None)))
    out("token", f"{name} without iss", "missing_claim", sign(name, key, claims(issuer, iss=None)))
    out("token", f"{name} for the future", "not_yet_valid", sign(name, key, claims(issuer, iat=now + 61)))
    other = ECKey.generate_key("P-256") if name == "ES256" else RSAKey.generate_key(2048)
    out("token", f"{name} by another key", "bad_signature", sign(name, other, claims(issuer)))

rsa = keys["RS256"]
pss = keys["PS256"]
curve = keys["ES256"]
for algorithm in ["RS384", "RS512", "PS256"]:
    out("token", f"{algorithm} for RS256", "wrong_algorithm", sign(algorithm, rsa, claims("https://RS256/")))
pem = OctKey.import_key(base64.b64encode(rsa.as_pem(private=False)).decode())
out("token", "HS256 for RS256", "wrong_algorithm", sign("HS256", pem, claims("https://RS256/")))
out("token", "none", "wrong_algorithm", by_hand({"alg": "none"}, claims("https://RS256/"), lambda _: b""))
for salt in [0, 20, 31, 33, 64]:
    make = lambda data: pss.private_key.sign(
        data, padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=salt), hashes.SHA256()
    )
    out("token", f"PS256 with a salt of {salt}", "bad_signature", by_hand({"alg": "PS256"}, claims("https://PS256/"), make))
sha1_mask = lambda data: pss.private_key.sign(
    data, padding.PSS(mgf=padding.MGF1(hashes.SHA1()), salt_length=32), hashes.SHA256()
)
out("token", "PS256 with another mask", "bad_signature", by_hand({"alg": "PS256"}, claims("https://PS256/"), sha1_mask))
der = lambda data: curve.private_key.sign(data, ec.ECDSA(hashes.SHA256()))
out("token", "ES256 as DER", "bad_signature", by_hand({"alg": "ES256"}, claims("https://ES256/"), der))

for algorithm in ["HS256", "HS384", "HS512"]:
    token = sign(algorithm, secret, claims(algorithm, sub=None, identifier="zoë"))
    good.append((algorithm, token))
    out("token", algorithm, "taken", token)

for algorithm, kid, path in encryption_keys:
    with open(path, "rb") as file:
        pem = file.read()
    key = ECKey.import_key(pem) if algorithm == "ECDH-ES" else RSAKey.import_key(pem)
    registry = jwe.JWERegistry(algorithms=["RSA-OAEP", "RSA-OAEP-256", "ECDH-ES", "RSA1_5", "ECDH-ES+A128KW", "A256GCM",
                                           "A128GCM", "A128CBC-HS256", "A256CBC-HS512", "DEF"])

    def seal(content, **header):
        protected = {"alg": algorithm, "enc": "A256GCM", **header}
        return jwe.encrypt_compact(protected, content, key, registry=registry)

    for name, token in good:
        for enc in ["A256GCM", "A128CBC-HS256"]:
            out("token", f"{name} in {algorithm} {enc}", "taken", seal(token, enc=enc))
            out("token", f"{name} in {algorithm} {enc} with kid", "taken", seal(token, enc=enc, kid=kid, cty="JWT"))
    token = good[0][1]
    for enc in ["A128GCM", "A256CBC-HS512"]:
        out("token", f"{algorithm} {enc}", "wrong_algorithm", seal(token, enc=enc))
    out("token", f"{algorithm} compressed", "malformed", seal(token, zip="DEF"))
    out("token", f"{algorithm} around a megabyte of zeros", "malformed", seal(b"0" * (1 << 20), zip="DEF"))
    out("token", f"{algorithm} with an unknown kid", "unknown_key", seal(token, kid="x"))
    out("token", f"{algorithm} around claims", "malformed", seal(json.dumps(claims("https://RS256/"))))
    if algorithm == "ECDH-ES":
        parties = {"apu": part(b"Alice"), "apv": part(b"Bob")}
        out("token", "ECDH-ES with parties", "taken", seal(token, **parties))
        out("token", "ECDH-ES+A128KW", "wrong_algorithm", seal(token, alg="ECDH-ES+A128KW"))
    else:
        out("token", "RSA1_5", "wrong_algorithm", seal(token, alg="RSA1_5"))
        other = "RSA-OAEP" if algorithm == "RSA-OAEP-256" else "RSA-OAEP-256"
        out("token", f"{other} for {algorithm}", "wrong_algorithm", seal(token, alg=other, kid=kid))
        # The other hash under the right name.
        head, _, vector, text, tag = seal(token, kid=kid).split(".")
        hashed = hashes.SHA1() if algorithm == "RSA-OAEP-256" else hashes.SHA256()
        wrapped = key.public_key.encrypt(b"k" * 32, padding.OAEP(padding.MGF1(hashed), hashed, None))
        out("token", f"{algorithm} with another hash", "bad_signature", ".".join([head, part(wrapped), vector, text, tag]))

out("done")
