"""Logs in to a running gateway in every way, and tries what must not be let in.

Arguments: the gateway's URL, the simulator's control URL, a file for what the next life must know, and "first" or "again"
(after a restart of the gateway). The admin token is in SWITCHBOARD_ADMIN_TOKEN. The brand `acme` has the app `ios`.
Prints a line of JSON for each attempt, {"name", "wanted", "found"}, both [status, code, reason], and then "done".
Tokens are made with joserfc and, where that refuses, by hand.
"""

import base64
import http.server
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jwe, jws
from joserfc.jwk import ECKey, OctKey, RSAKey

server, control, state_path, phase = sys.argv[1:5]
admin = {"Authorization": "Bearer " + os.environ["SWITCHBOARD_ADMIN_TOKEN"]}
now = int(time.time())
devices = 0
# Everything that was said and must stay between the two: written down at the end, for who looks through the log.
secrets = set()


def remember(members):
    for name in ["token", "sessionToken", "auth_key", "auth_token", "secret", "code", "codeVerifier", "clientSecret"]:
        value = members.get(name) if isinstance(members, dict) else None
        if isinstance(value, str) and 12 <= len(value) <= 8192:
            secrets.add(value)


# Calls


def call(method, path, body=None, headers=None, base=server):
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method, headers=dict(headers or {}))
    if data is not None:
        request.add_header("Content-Type", "application/json")
    remember(body)
    if "Authorization" in request.headers:
        secrets.add(request.headers["Authorization"].split(" ")[1])
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            found = json.loads(text) if text else None
            remember(found)
            return answer.status, found
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {}


def made(method, path, body, base=server):
    status, answer = call(method, path, body, admin, base)
    assert 200 <= status < 300, (method, path, status, answer)
    return answer


def basic(account):
    return {"Authorization": "Basic " + base64.b64encode(f"{account['id']}:{account['secret']}".encode()).decode()}


# What is told


def tell(name, wanted, status, answer):
    answer = answer or {}
    # The adaptors of other systems put it into "error".
    problem = answer.get("error", answer) if isinstance(answer, dict) else {}
    found = [status, problem.get("code"), problem.get("reason")] if status >= 400 else [status, None, None]
    print(json.dumps({"name": name, "wanted": wanted, "found": found}), flush=True)
    return answer


def refused(name, wanted, reason=None, status=401, **body):
    brand = body.pop("brand", "acme")
    tell(name, [status, wanted, reason], *call("POST", f"/v1/brands/{brand}/sessions", body))


def invalid(name, reason, token, **body):
    refused(name, "token_invalid", reason, grant="assertion", token=token, **body)


def use(name, session, brand="acme", device=None):
    """Registers a device with a session, and asks for what is unread."""
    global devices
    devices += 1
    device = device or f"device-{devices}"
    bearer = {"Authorization": "Bearer " + session}
    body = {"token": f"{devices:064x}", "pushType": "apns"}
    if brand == "acme":
        answer = call("PUT", f"/v1/brands/acme/apps/ios/devices/{device}", body, bearer)
        tell(name + ": registers a device", [201, None, None], *answer)
    tell(name + ": is let in", [200, None, None], *call("GET", f"/v1/brands/{brand}/unread", headers=bearer))
    return bearer


def taken(name, consumer="u-1", **body):
    brand = body.pop("brand", "acme")
    answer = tell(name, [201, None, None], *call("POST", f"/v1/brands/{brand}/sessions", body))
    if "sessionToken" not in answer:
        return None
    if consumer is not None:
        same = answer["consumer"]["id"] == consumer
        print(json.dumps({"name": name + ": is who it is", "wanted": [True], "found": [same]}), flush=True)
    return use(name, answer["sessionToken"], brand, body.get("deviceId"))


# Tokens


def part(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def claims(issuer, **changes):
    members = {"iss": issuer, "sub": "u-1", "iat": now, "exp": now + 600}
    members.update(changes)
    return {name: value for name, value in members.items() if value is not None}


def sign(algorithm, key, content, **header):
    payload = content if isinstance(content, bytes) else json.dumps(content).encode()
    return jws.serialize_compact({"alg": algorithm, **header}, payload, key, algorithms=[algorithm])


def by_hand(header, content, make):
    text = part(header) + "." + part(content)
    return text + "." + part(make(text.encode()))


def with_signature(token, change):
    head, body, signature = token.split(".")
    return ".".join([head, body, part(change(base64.urlsafe_b64decode(signature + "==")))])


registry = jwe.JWERegistry(
    algorithms=["RSA-OAEP", "RSA-OAEP-256", "RSA1_5", "ECDH-ES", "A256GCM", "A128CBC-HS256", "A128GCM", "DEF"]
)


def seal(key, algorithm, content, **header):
    protected = {"alg": algorithm, "enc": "A256GCM", **header}
    return jwe.encrypt_compact(protected, content, key, registry=registry)


# Codes of the simulator's identity provider


challenge_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
back = "https://app.example/back"


def give(code, **more):
    item = {"code": code, "redirectUri": back, "clientId": "switchboard", "codeChallenge": challenge,
            "claims": {"sub": "u-code"}}
    item.update(more)
    status, answer = call("PUT", "/identity-provider/codes", [item], base=control)
    assert status < 300, (status, answer)
    return code


def code_body(code, **changes):
    body = {"grant": "code", "code": code, "redirectUri": back, "codeVerifier": challenge_verifier, "issuer": "Acme ID"}
    body.update(changes)
    return {name: value for name, value in body.items() if value is not None}


# The first life


def issue(kind, name, brand="acme", **members):
    return made("POST", f"/v1/brands/{brand}/credentials", {"kind": kind, "name": name, **members})


class KeySet(http.server.BaseHTTPRequestHandler):
    keys = []

    def do_GET(self):
        body = json.dumps({"keys": self.keys}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def first():
    made("POST", "/v1/brands", {"id": "open", "name": "Open", "settings": {"anonymousConsumers": True}})
    account = issue("serviceAccount", "crm", scopes=["sessions:mint"])

    # Sessions that a back-end mints, and anonymous ones.
    status, minted = call("POST", "/v1/brands/acme/consumers/u-1/sessions", {}, basic(account))
    tell("minted by the back-end", [201, None, None], status, minted)
    use("minted by the back-end", minted["sessionToken"])
    taken("anonymous", None, brand="open", grant="anonymous")
    refused("anonymous where it is not allowed", "forbidden", status=403, grant="anonymous")

    # SDK keys.
    secret = OctKey.import_key("a-secret-of-sixty-four-bytes-is-long-enough-for-all-the-hashes-1")
    for algorithm in ["HS256", "HS384", "HS512"]:
        issue("sdkKey", "sdk-" + algorithm, algorithm=algorithm, secret=secret.raw_value.decode())
        content = claims("sdk-" + algorithm, sub=None, identifier="u-1")
        taken(f"SDK key {algorithm}", grant="assertion", token=sign(algorithm, secret, content))
        taken(
            f"SDK key {algorithm}, named by the request",
            grant="assertion",
            token=sign(algorithm, secret, claims(None, sub=None, identifier="u-1")),
            sdkKeyName="sdk-" + algorithm,
        )
    hs = lambda **changes: sign("HS256", secret, claims("sdk-HS256", **{"sub": None, "identifier": "u-1", **changes}))
    invalid("SDK key: another brand's", "unknown_issuer", hs(), brand="open")
    invalid("SDK key: an unknown name", "unknown_key", hs(), sdkKeyName="nobody")
    invalid("SDK key: HS512 for HS256", "wrong_algorithm", sign("HS512", secret, claims("sdk-HS256", identifier="u-1")))
    invalid("SDK key: no identifier where nobody is anonymous", "missing_claim", hs(identifier=None))
    for wrong in ["04412345", "+0123456", "+", "+1234567890123456"]:
        refused(f"SDK key: phone {wrong}", "invalid_request", status=422, grant="assertion", token=hs(phone=wrong))

    # Issuers.
    keys = {"RS256": RSAKey.generate_key(2048), "PS256": RSAKey.generate_key(2048), "ES256": ECKey.generate_key("P-256")}
    for algorithm, key in keys.items():
        pem = key.as_pem(private=False).decode()
        issuer = f"https://{algorithm}.example/"
        issue("jwtIssuer", algorithm, issuer=issuer, issuerDisplayName="Login " + algorithm, algorithm=algorithm, publicKey=pem)
        taken(f"issuer {algorithm}", grant="assertion", token=sign(algorithm, key, claims(issuer)))
        token = sign(algorithm, key, claims(issuer))
        taken(f"issuer {algorithm}, named by the request", grant="assertion", token=token, issuer="Login " + algorithm)
        invalid(f"issuer {algorithm}: a name that nobody has", "unknown_issuer", token, issuer="Nobody")
        token = sign(algorithm, key, claims(issuer))
        rows(algorithm, key, issuer, token)
    copilot()
    ccai(secret)
    once = limits(secret, keys["ES256"])
    published(keys["ES256"])
    audiences(keys["RS256"])
    texts(sign("RS256", keys["RS256"], claims("https://RS256.example/")), keys["RS256"])
    encrypted(keys)
    codes(once)
    revocation(secret)


def limits(secret, key):
    """Tokens of credentials that accept short ones only, each once."""
    members = {"maxLifetimeSeconds": 900, "singleUse": True}
    issue("sdkKey", "sdk-once", secret=secret.raw_value.decode(), **members)
    pem = key.as_pem(private=False).decode()
    issue("jwtIssuer", "once", issuer="https://once.example/", algorithm="ES256", publicKey=pem, **members)
    tokens = []
    for name, one in [
        ("SDK key: ", lambda **more: sign("HS256", secret, claims("sdk-once", sub=None, identifier="u-1", **more))),
        ("issuer: ", lambda **more: sign("ES256", key, claims("https://once.example/", **more))),
    ]:
        invalid(name + "valid for too long", "lifetime", one(jti="long", exp=now + 901))
        invalid(name + "for single use without a jti", "missing_claim", one())
        invalid(name + "a jti that is no text", "malformed", one(jti=7))
        tokens.append(one(jti="first", exp=now + 900))
        taken(name + "the first time", grant="assertion", token=tokens[-1])
        invalid(name + "the second time", "reused", tokens[-1])
        invalid(name + "the same jti in another token", "reused", one(jti="first"))
        contended = one(jti="second")
        found = []
        body = {"grant": "assertion", "token": contended}
        askers = [
            threading.Thread(target=lambda: found.append(call("POST", "/v1/brands/acme/sessions", body)[0]))
            for _ in range(4)
        ]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        tell_one = {"name": name + "several at once", "wanted": [201, 401, 401, 401], "found": sorted(found)}
        print(json.dumps(tell_one), flush=True)
    return tokens


def copilot():
    """As a back-end of Copilot.cx asks for a key, with the account's id and secret by Basic."""
    path = "/v2/api/management/your_own/auth/generate_user_auth_key"
    made("PATCH", "/v1/brands/acme", {"settings": {"wire": {"copilot": True, "ccai": True}}})
    account = issue("serviceAccount", "copilot", scopes=["sessions:mint"])
    keys = []
    for _ in range(2):
        status, answer = call("POST", path, {"user_id": "u-1"}, basic(account))
        keys.append(tell("Copilot.cx", [200, None, None], status, answer)["auth_key"])
    print(json.dumps({"name": "Copilot.cx: a fresh key each time", "wanted": [2], "found": [len(set(keys))]}))
    use("Copilot.cx", keys[0])
    def refuse(name, wanted, status, body={"user_id": "u-1"}, headers=basic(account)):
        tell("Copilot.cx: " + name, [status, wanted, None], *call("POST", path, body, headers))

    refuse("no credentials", "unauthorized", 401, headers={})
    refuse("a wrong secret", "unauthorized", 401, headers=basic({"id": account["id"], "secret": "x"}))
    refuse("an unknown account", "unauthorized", 401, headers=basic({"id": "x", "secret": account["secret"]}))
    refuse("a consumer's key", "unauthorized", 401, headers={"Authorization": "Bearer " + keys[0]})
    refuse("another scope", "forbidden", 403, headers=basic(issue("serviceAccount", "feed", scopes=["events:write"])))
    for name, body in [("no user", {}), ("an empty user", {"user_id": ""}), ("a number", {"user_id": 1}),
                       ("no JSON", b"user_id=1"), ("twice", b'{"user_id":"a","user_id":"b"}')]:
        refuse(name, "invalid_request", 400, body)
    status, _ = call("DELETE", "/v1/brands/acme/credentials/" + account["id"], headers=admin)
    tell("Copilot.cx: account revoked", [204, None, None], status, None)
    refuse("the account is revoked", "unauthorized", 401)
    answer = call("GET", "/v1/brands/acme/unread", headers={"Authorization": "Bearer " + keys[1]})
    tell("Copilot.cx: the revoked account's key", [401, "token_invalid", "revoked"], *answer)


def ccai(secret):
    """As an app of Google's CCAI Platform exchanges what its back-end signed, or had signed."""
    def exchange(token, key="sdk-HS256", **more):
        headers = {"X-SDK-Key-Name": key} if key is not None else {}
        return call("POST", "/v1/ccaip/auth/token", {"token": token, **more}, headers)

    def let_in(name, token, key="sdk-HS256", **more):
        answer = tell("CCAI: " + name, [200, None, None], *exchange(token, key, **more))
        if "auth_token" in answer:
            same = answer["end_user"] == {"id": "u-1", "anonymous": False}
            print(json.dumps({"name": f"CCAI: {name}: is who it is", "wanted": [True], "found": [same]}))
            use("CCAI: " + name, answer["auth_token"], device=more.get("device_id"))

    def refuse(name, reason, token, key="sdk-HS256", code="token_invalid", status=401):
        tell("CCAI: " + name, [status, code, reason], *exchange(token, key))

    good = {"identifier": "u-1", "iat": now, "exp": now + 600}
    def one(**changes):
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    for algorithm in ["HS256", "HS384", "HS512"]:
        let_in(algorithm, sign(algorithm, secret, good), "sdk-" + algorithm)
    let_in("a device of its own", sign("HS256", secret, good), device_id="d-ccai")
    minter = issue("serviceAccount", "signer", scopes=["sessions:mint"])
    answer = call("POST", "/api/ccaip/sign?consumer=u-1", {"payload": {"email": "a@example.com"}}, basic(minter))
    signed = tell("CCAI: signed by the gateway", [200, None, None], *answer)
    issuer = json.loads(base64.urlsafe_b64decode(signed["token"].split(".")[1] + "=="))["iss"]
    let_in("what the gateway signed", signed["token"], issuer)

    # A push token within registers the device, at once.
    carried = sign("HS256", secret, one(push_token="5" * 64))
    tell("CCAI: a push token within", [200, None, None], *exchange(carried, device_id="d-carried"))
    _, known = call("GET", "/v1/brands/acme/consumers/u-1/devices", headers=admin)
    found = ["d-carried" in [item["deviceId"] for item in known["items"]]]
    print(json.dumps({"name": "CCAI: the device of a push token within", "wanted": [True], "found": found}))

    for none in ["none", "None", "NONE", "nOnE"]:
        refuse(f"alg {none}", "wrong_algorithm", by_hand({"alg": none}, good, lambda _: b""))
    for algorithm in ["HS384", "HS512"]:
        refuse(f"{algorithm} for HS256", "wrong_algorithm", sign(algorithm, secret, good))
    rsa = RSAKey.generate_key(2048)
    refuse("RS256 for an HS key", "wrong_algorithm", sign("RS256", rsa, good))
    other = OctKey.import_key("another-secret-of-sixty-four-bytes-is-long-enough-for-all-hashes-1")
    expired = one(iat=now - 700, exp=now - 60)
    refuse("another's signature", "bad_signature", sign("HS256", other, good))
    refuse("expired", None, sign("HS256", secret, expired), code="token_expired")
    refuse("expired, and another's signature", "bad_signature", sign("HS256", other, expired))
    for claim in ["iat", "exp"]:
        refuse(f"no {claim}", "missing_claim", sign("HS256", secret, one(**{claim: None})))
        refuse(f"{claim} as text", "malformed", sign("HS256", secret, one(**{claim: str(now + 600)})))
        refuse(f"{claim} in milliseconds", "malformed", sign("HS256", secret, one(**{claim: (now + 600) * 1000})))
    refuse("iat in the future", "not_yet_valid", sign("HS256", secret, one(iat=now + 3600, exp=now + 7200)))
    refuse("nbf in the future", "not_yet_valid", sign("HS256", secret, one(nbf=now + 3600)))
    crit = by_hand({"alg": "HS256", "crit": ["exp"]}, good, lambda _: b"x" * 32)
    refuse("crit", "malformed", crit)
    for kind in ["at+jwt", "logout+jwt"]:
        refuse(f"typ {kind}", "malformed", sign("HS256", secret, good, typ=kind))
    for member, value in [("jku", "https://evil.example/"), ("x5u", "https://evil.example/"), ("jwk", {"kty": "oct"})]:
        refuse(f"{member} of its own", "bad_signature", by_hand({"alg": "HS256", member: value}, good, lambda _: b"x" * 32))
    token = sign("HS256", secret, good)
    head, body, signature = token.split(".")
    for name, text in {
        "a word": "x", "two parts": head + "." + body, "four parts": token + ".x", "padding": token + "=",
        "whitespace": " " + token, "a megabyte": "a" * 1_000_000, "not UTF-8": sign("HS256", secret, b'{"iat":"\xff"}'),
        "members named twice": sign("HS256", secret, b'{"identifier":"a","identifier":"b","iat":1,"exp":2}'),
        "deep": sign("HS256", secret, b'{"a":' + b"[" * 40 + b"]" * 40 + b"}"), "no object": sign("HS256", secret, b"[]"),
    }.items():
        refuse(name, "malformed", text)
    refuse("no signature", "bad_signature", head + "." + body + ".")
    refuse("all zero", "bad_signature", with_signature(token, lambda bytes: b"\0" * len(bytes)))
    refuse("an unknown key's name", "unknown_key", token, key="nobody")
    refuse("no key's name", None, token, key=None, code="unauthorized")
    refuse("no identifier where nobody is anonymous", None, sign("HS256", secret, one(identifier=None)),
           code="forbidden", status=403)


def rows(algorithm, key, issuer, token):
    """What an issuer's tokens may not be."""
    def one(**changes):
        return sign(algorithm, key, claims(issuer, **changes))

    name = f"{algorithm}: "
    for none in ["none", "None", "NONE", "nOnE"]:
        unsigned = by_hand({"alg": none}, claims(issuer), lambda _: b"")
        invalid(name + f"alg {none}", "wrong_algorithm", unsigned)
    pem = OctKey.import_key(base64.b64encode(key.as_pem(private=False)).decode())
    invalid(name + "HS256 with the public key", "wrong_algorithm", sign("HS256", pem, claims(issuer)))
    other = ECKey.generate_key("P-256") if algorithm == "ES256" else RSAKey.generate_key(2048)
    invalid(name + "another's signature", "bad_signature", sign(algorithm, other, claims(issuer)))
    expired = claims(issuer, iat=now - 700, exp=now - 60)
    refused(name + "expired", "token_expired", grant="assertion", token=sign(algorithm, key, expired))
    invalid(name + "expired, and another's signature", "bad_signature", sign(algorithm, other, expired))
    for claim in ["iat", "exp", "sub"]:
        invalid(name + f"no {claim}", "missing_claim", one(**{claim: None}))
    invalid(name + "no iss", "missing_claim", one(iss=None))
    invalid(name + "iss unknown", "unknown_issuer", one(iss="https://nobody.example/"))
    for claim in ["iat", "exp"]:
        invalid(name + f"{claim} as text", "malformed", one(**{claim: str(now + 600)}))
        invalid(name + f"{claim} in milliseconds", "malformed", one(**{claim: (now + 600) * 1000}))
        invalid(name + f"{claim} as text with a fraction", "malformed", one(**{claim: str(now + 600.5)}))
    taken(name + "times with a fraction", grant="assertion", token=one(iat=now + 0.5, exp=now + 600.5))
    invalid(name + "iat in the future", "not_yet_valid", one(iat=now + 3600, exp=now + 7200))
    invalid(name + "nbf in the future", "not_yet_valid", one(nbf=now + 3600))
    for kind in ["at+jwt", "logout+jwt", "JOSE"]:
        invalid(name + f"typ {kind}", "malformed", sign(algorithm, key, claims(issuer), typ=kind))
    event = {"http://schemas.openid.net/event/backchannel-logout": {}}
    invalid(name + "a logout token", "malformed", one(events=event))
    invalid(name + "aud where no audience is named", "wrong_audience", one(aud="crm"))
    invalid(name + "crit", "malformed", by_hand({"alg": algorithm, "crit": ["exp"]}, claims(issuer), lambda _: b"x" * 64))
    for member, value in [("jku", "https://evil.example/"), ("x5u", "https://evil.example/"), ("jwk", {"kty": "RSA"})]:
        evil = {"alg": algorithm, member: value}
        invalid(name + f"{member} of its own", "bad_signature", by_hand(evil, claims(issuer), lambda _: b"x" * 64))
    if algorithm == "ES256":
        invalid(name + "DER", "bad_signature", by_hand(
            {"alg": "ES256"}, claims(issuer), lambda text: key.private_key.sign(text, ec.ECDSA(hashes.SHA256()))))
        invalid(name + "63 bytes", "bad_signature", with_signature(token, lambda bytes: bytes[:63]))
        invalid(name + "all zero", "bad_signature", with_signature(token, lambda bytes: b"\0" * 64))
    else:
        invalid(name + "all zero", "bad_signature", with_signature(token, lambda bytes: b"\0" * len(bytes)))
        invalid(name + "a byte too few", "bad_signature", with_signature(token, lambda bytes: bytes[1:]))
        for wrong in ["RS512", "PS512"]:
            invalid(name + wrong, "wrong_algorithm", sign(wrong, key, claims(issuer)))


def published(key):
    """An issuer that publishes its keys, on this machine."""
    shown = dict(key.as_dict(private=False), kid="k-1", use="sig", alg="ES256")
    point_off = dict(shown, kid="off", y=shown["x"])
    KeySet.keys = [shown, point_off]
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), KeySet)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{listener.server_port}/keys"
    issue("jwtIssuer", "published", issuer="https://published.example/", algorithm="ES256", jwksUrl=url)
    content = claims("https://published.example/")
    taken("published key", grant="assertion", token=sign("ES256", key, content, kid="k-1"))
    invalid("published key: unknown kid", "unknown_key", sign("ES256", key, content, kid="k-2"))
    invalid("published key: a point off the curve", "unknown_key", sign("ES256", key, content, kid="off"))
    listener.shutdown()
    issue("jwtIssuer", "silent", issuer="https://silent.example/", algorithm="ES256", jwksUrl="http://127.0.0.1:9/keys")
    silent = sign("ES256", key, claims("https://silent.example/"), kid="k-1")
    refused("published key: nobody answers", "upstream_unavailable", status=502, grant="assertion", token=silent)


def audiences(key):
    pem = key.as_pem(private=False).decode()
    issuer = "https://audience.example/"
    issue("jwtIssuer", "audience", issuer=issuer, algorithm="RS256", publicKey=pem, audience="switchboard", keyId="k-9")
    def one(kid="k-9", **changes):
        return sign("RS256", key, claims(issuer, **changes), kid=kid)
    taken("audience", grant="assertion", token=one(aud="switchboard"))
    taken("audience: one of several", grant="assertion", token=one(aud=["crm", "switchboard"]))
    invalid("audience: another's", "wrong_audience", one(aud="crm"))
    invalid("audience: none of several", "wrong_audience", one(aud=["crm", "web"]))
    invalid("audience: none", "wrong_audience", one())
    invalid("kid: another's", "unknown_key", one(kid="k-8", aud="switchboard"))


def texts(token, key):
    """Texts that are no token."""
    head, body, signature = token.split(".")
    issuer = "https://RS256.example/"
    def signed(payload):
        return sign("RS256", key, payload)
    cases = {
        "a word": "x", "two parts": head + "." + body, "four parts": token + ".x", "six parts": token + ".x.x.x",
        "an empty part": head + ".." + signature, "padding": token + "=", "whitespace": token + " ",
        "a line break": head + "\n." + body + "." + signature, "not base64url": head + "." + body[:-1] + "+." + signature,
        "a slack bit": head + "." + part(b"ab")[:-1] + "J." + signature, "a megabyte": "a" * 1_000_000,
        "not UTF-8": signed(b'{"iss":"\xff"}'), "no object": signed(b"[]"), "no JSON": signed(b"{"),
        "members named twice": signed(b'{"iss":"https://RS256.example/","sub":"a","sub":"b","iat":1,"exp":2}'),
        "deep": signed(b'{"a":' + b"[" * 40 + b"]" * 40 + b"}"),
    }
    for name, text in cases.items():
        invalid(name, "malformed", text)
    twice = part(b'{"alg":"RS256","alg":"none"}') + "." + body + "." + signature
    invalid("header members named twice", "malformed", twice)
    invalid("an issuer of two spellings", "unknown_issuer", signed(json.dumps(claims(issuer + "e\u0301")).encode()))
    refused("a body beyond its limit", "payload_too_large", status=413, grant="assertion", token="a" * 1_100_000)
    refused("no token", "invalid_request", status=422, grant="assertion")
    refused("another grant", "invalid_request", status=422, grant="password")


def encrypted(keys):
    inner = sign("RS256", keys["RS256"], claims("https://RS256.example/"))
    for algorithm in ["RSA-OAEP-256", "RSA-OAEP", "ECDH-ES"]:
        credential = issue("jweKey", algorithm, algorithm=algorithm)
        public = credential["publicKey"]
        key = ECKey.import_key(public) if algorithm == "ECDH-ES" else RSAKey.import_key(public)
        for enc in ["A256GCM", "A128CBC-HS256"]:
            token = seal(key, algorithm, inner, enc=enc, kid=credential["id"])
            taken(f"{algorithm} {enc}", grant="assertion", token=token)
            parts = token.split(".")
            tag = bytearray(base64.urlsafe_b64decode(parts[4] + "=="))
            tag[0] ^= 1
            invalid(f"{algorithm} {enc}: a wrong tag", "bad_signature", ".".join(parts[:4] + [part(bytes(tag))]))
            cut = base64.urlsafe_b64decode(parts[3] + "==")[:-16]
            invalid(f"{algorithm} {enc}: cut short", "bad_signature", ".".join(parts[:3] + [part(cut), parts[4]]))
        name = algorithm + ": "
        invalid(name + "compressed", "malformed", seal(key, algorithm, inner, zip="DEF"))
        invalid(name + "a bomb", "malformed", seal(key, algorithm, b"0" * 5_000_000, zip="DEF"))
        invalid(name + "an unknown kid", "unknown_key", seal(key, algorithm, inner, kid="nobody"))
        invalid(name + "another content algorithm", "wrong_algorithm", seal(key, algorithm, inner, enc="A128GCM"))
        unsigned = part({"alg": "none"}) + "." + part(claims("https://RS256.example/")) + "."
        invalid(name + "unsigned within", "malformed", seal(key, algorithm, unsigned, kid=credential["id"]))
        invalid(name + "claims within", "malformed", seal(key, algorithm, json.dumps(claims("x")), kid=credential["id"]))
        expired = sign("RS256", keys["RS256"], claims("https://RS256.example/", iat=now - 700, exp=now - 60))
        sealed = seal(key, algorithm, expired, kid=credential["id"])
        refused(name + "expired within", "token_expired", grant="assertion", token=sealed)
        if algorithm == "ECDH-ES":
            head = {"alg": "ECDH-ES", "enc": "A256GCM", "kid": credential["id"]}
            x = part(b"\1" * 32)
            head["epk"] = {"kty": "EC", "crv": "P-256", "x": x, "y": x}
            off = part(head) + ".." + ".".join(seal(key, algorithm, inner).split(".")[2:])
            invalid(name + "a point off the curve", "malformed", off)
        else:
            wrong = seal(key, "RSA1_5", inner, kid=credential["id"])
            invalid(name + "RSA1_5", "wrong_algorithm", wrong)


def codes(once):
    common = {
        "issuer": "https://id.example/", "issuerDisplayName": "Acme ID", "clientId": "switchboard",
        "clientSecret": "simulator secret", "redirectUris": [back, "https://app.example/other"], "pkce": "required",
        "algorithm": "RS256", "jwksUrl": control + "/identity-provider/jwks",
        "tokenEndpoint": control + "/identity-provider/token",
    }
    old = issue("identityProvider", "by Basic", clientAuth="basic", **common)
    provider = dict(common, issuerDisplayName="Lenient", pkce="optional")
    issue("identityProvider", "by body", clientAuth="body", **provider)
    # What the provider's tokens say of it.
    named = {"sub": "u-code", "iss": "https://id.example/"}
    def fresh(code, **more):
        return give(code, claims=named, **more)

    taken("code, Basic, PKCE", "u-code", **code_body(fresh("c-1")), deviceId="d-code")
    taken("code, body, no PKCE", "u-code", **code_body(fresh("c-2", codeChallenge=None), codeVerifier=None, issuer="Lenient"))
    bad = lambda name, reason, **body: refused("code: " + name, "token_invalid", reason, **body)
    bad("again from the same device", "code_reused", **code_body("c-1"), deviceId="d-code")
    bad("again from another device", "code_reused", **code_body("c-1"), deviceId="d-other")
    bad("an issuer whom nobody knows", "unknown_issuer", **code_body(fresh("c-3"), issuer="Nobody"))
    bad("no issuer where there are two", "unknown_issuer", **code_body("c-3", issuer=None))
    taken("code: not burnt by a wrong name", "u-code", **code_body("c-3"))
    bad("another redirect URI", "redirect_mismatch", **code_body(fresh("c-4"), redirectUri=back + "/"))
    bad("burnt by it", "code_reused", **code_body("c-4"))
    bad("another of ours than the code's", "redirect_mismatch",
        **code_body(fresh("c-5"), redirectUri="https://app.example/other"))
    bad("a wrong verifier", "pkce_mismatch", **code_body(fresh("c-6"), codeVerifier="x" * 43))
    bad("burnt by it, too", "code_reused", **code_body("c-6"))
    bad("no verifier", "pkce_mismatch", **code_body(fresh("c-7"), codeVerifier=None))
    for length in [42, 129]:
        bad(f"a verifier of {length}", "pkce_mismatch", **code_body(fresh(f"c-l{length}"), codeVerifier="x" * length))
    bad("a verifier with a blank", "pkce_mismatch", **code_body(fresh("c-8"), codeVerifier="x" * 42 + " "))
    bad("plain PKCE", "pkce_mismatch", **code_body(fresh("c-9", codeChallenge=challenge_verifier)))
    bad("one that was never given", "revoked", **code_body("c-never"))
    bad("a control character", "malformed", **code_body("c\u0001"))
    bad("a token of another issuer", "unknown_issuer",
        **code_body(give("c-10", claims={"sub": "u", "iss": "https://evil.example/"})))
    bad("a token for another", "wrong_audience", **code_body(give("c-11", claims={**named, "aud": "another"})))
    expired = {**named, "iat": now - 900, "exp": now - 300}
    refused("code: an expired token", "token_expired", **code_body(give("c-12", claims=expired)))
    # Its credential is rotated: both are in force, then the new one alone.
    bearer = taken("code: before the rotation", "u-code", **code_body(fresh("c-13")))
    issue("identityProvider", "by Basic, the second", clientAuth="body", **common)
    taken("code: while both are in force", "u-code", **code_body(fresh("c-14")))
    bad("burnt by the old credential", "code_reused", **code_body(fresh("c-13")))
    status, _ = call("DELETE", "/v1/brands/acme/credentials/" + old["id"], headers=admin)
    tell("code: the old credential is revoked", [204, None, None], status, None)
    taken("code: when the old one is gone", "u-code", **code_body(fresh("c-15")))
    answer = call("GET", "/v1/brands/acme/unread", headers=bearer)
    tell("code: a session of the old one", [401, "token_invalid", "revoked"], *answer)
    with open(state_path, "w") as file:
        json.dump({"code": "c-1", "once": once}, file)


def revocation(secret):
    """What a credential let in goes with it, at once."""
    credential = issue("sdkKey", "sdk-gone", secret=secret.raw_value.decode())
    token = sign("HS256", secret, claims("sdk-gone", sub=None, identifier="u-gone"))
    bearer = taken("before the revocation", "u-gone", grant="assertion", token=token)
    status, _ = call("DELETE", "/v1/brands/acme/credentials/" + credential["id"], headers=admin)
    tell("revoked", [204, None, None], status, None)
    invalid("its assertion", "revoked", token)
    answer = call("GET", "/v1/brands/acme/unread", headers=bearer)
    tell("its session", [401, "token_invalid", "revoked"], *answer)


# After a restart


def again():
    with open(state_path) as file:
        state = json.load(file)
    refused("code: after a restart", "token_invalid", "code_reused", **code_body(state["code"]))
    for token in state["once"]:
        invalid("for single use: after a restart", "reused", token)
    call("PUT", "/identity-provider/codes", [], base=control)
    named = {"sub": "u-code", "iss": "https://id.example/"}
    taken("code after a restart", "u-code", **code_body(give("c-20", claims=named)))


{"first": first, "again": again}[phase]()
with open(state_path + ".secrets", "w") as file:
    json.dump(sorted(secrets), file)
print("done", flush=True)
