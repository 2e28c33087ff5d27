/// Clients with Node's own `http2` and `fetch`, independent of this package.
enum NodeScripts {
    /// Arguments: folder, APNs address, FCM address, control URL.
    private static let prelude = #"""
        import http2 from 'node:http2';
        import fs from 'node:fs';
        import crypto from 'node:crypto';
        const [folder, apns, fcm, control] = process.argv.slice(1).filter(x => x !== '--');
        const read = name => fs.readFileSync(folder + '/' + name, 'utf8');
        const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
        const now = Math.floor(Date.now() / 1000);
        const connect = address => http2.connect('https://' + address, { ca: read('ca.pem') });
        const exchange = (session, headers, body) => new Promise(done => {
          const stream = session.request({ ':method': 'POST', ...headers });
          let answer = {}, text = '';
          stream.on('response', h => { answer = { status: h[':status'], id: h['apns-id'] }; });
          stream.on('data', chunk => { text += chunk; });
          stream.on('error', () => {});
          stream.on('close', () => done({ ...answer, text, code: stream.rstCode }));
          stream.end(body);
        });
        const key = JSON.parse(read('apns-key.json'));
        const signed = (header, claims, sign) => {
          const input = part(header) + '.' + part(claims);
          return input + '.' + sign(Buffer.from(input)).toString('base64url');
        };
        const jwt = signed({ alg: 'ES256', kid: key.keyId }, { iss: key.teamId, iat: now }, input =>
          crypto.sign('sha256', input, { key: read('apns-key.p8'), dsaEncoding: 'ieee-p1363' }));
        const push = (session, token, authorization = 'bearer ' + jwt) => exchange(session, {
          ':path': '/3/device/' + token, authorization, 'apns-topic': key.topic, 'apns-push-type': 'alert',
        }, '{"aps":{"alert":"x"}}');
        const rules = value => fetch(control + '/rules', { method: 'PUT', body: JSON.stringify(value) });

        """#

    /// A push, a forged one, and rules.
    static let apns =
        prelude + #"""
            const session = connect(apns);
            const limits = [];
            session.on('remoteSettings', s => limits.push(s.maxConcurrentStreams));
            const accepted = await push(session, 'abcd');
            const forged = await push(session, 'abcd', 'bearer ' + jwt.slice(0, -6) + 'AAAAAA');
            await rules([{ match: { tokenPrefix: '00' }, do: { reset: 7 } }]);
            const reset = await push(session, '00aa');
            await rules([{ match: { tokenPrefix: '00' }, do: { goaway: true } }]);
            const goaway = new Promise(done => session.on('goaway', (code, last, data) =>
              done({ code, last, data: data ? data.toString() : '' })));
            const covered = await push(session, '00aa');
            const frame = await goaway;
            console.log(JSON.stringify({ limits, accepted, forged, reset, covered, goaway: frame }));
            session.close();
            """#

    /// Pushes on a connection with the `.p12` client certificate, with which the token is ignored.
    static let certificate =
        prelude + #"""
            const archive = { pfx: fs.readFileSync(folder + '/apns.p12'), passphrase: 'simulator' };
            const session = http2.connect('https://' + apns, { ca: read('ca.pem'), ...archive });
            const limits = [];
            session.on('remoteSettings', s => limits.push(s.maxConcurrentStreams));
            const send = topic => exchange(session, {
              ':path': '/3/device/abcd', 'apns-topic': topic, 'apns-push-type': 'alert', authorization: 'bearer x',
            }, '{"aps":{"alert":"x"}}');
            const accepted = await send(key.topic);
            const other = await send('com.example.other');
            console.log(JSON.stringify({ limits, accepted, other }));
            session.close();
            """#

    /// An access token, a message, and one with an unknown field.
    static let fcm =
        prelude + #"""
            const account = JSON.parse(read('service-account.json'));
            const assertion = signed({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id }, {
              iss: account.client_email, scope: 'https://www.googleapis.com/auth/firebase.messaging',
              aud: account.token_uri, iat: now, exp: now + 3600,
            }, input => crypto.sign('sha256', input, account.private_key));
            const session = connect(fcm);
            const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
            const grant = await exchange(session, {
              ':path': '/token', 'content-type': 'application/x-www-form-urlencoded',
            }, form.toString());
            const send = message => exchange(session, {
              ':path': `/v1/projects/${account.project_id}/messages:send`,
              authorization: 'Bearer ' + JSON.parse(grant.text).access_token, 'content-type': 'application/json',
            }, JSON.stringify({ message }));
            const accepted = await send({ token: 'T', data: { a: 'b' } });
            const unknown = await send({ token: 'T', priority: 'high' });
            console.log(JSON.stringify({
              type: account.type, uri: account.token_uri, grant: grant.status, accepted: accepted.status,
              unknown: JSON.parse(unknown.text),
            }));
            session.close();
            """#

    /// The control port: a long poll that a push ends, rules, the counts, and a cleared list.
    static let control =
        prelude + #"""
            const json = async path => (await fetch(control + path)).json();
            const session = connect(apns);
            const empty = await json('/pushes?after=0&waitSeconds=0');
            const poll = json('/pushes?after=0&waitSeconds=30');
            await push(session, 'abcd');
            const woken = await poll;
            const wrong = await rules([{ do: { explode: true } }]);
            const wrongText = await wrong.text();
            const badQuery = (await fetch(control + '/pushes?after=-1')).status;
            const right = await rules([{ match: { provider: 'apns' }, do: { status: 410 } }]);
            const rulesShown = await json('/rules');
            const gone = await push(session, '00AA');
            const later = await json('/pushes?after=' + woken.next + '&waitSeconds=5');
            const stats = await json('/stats');
            const cleared = (await fetch(control + '/pushes', { method: 'DELETE' })).status;
            const after = await json('/pushes?after=0');
            console.log(JSON.stringify({
              empty, woken, wrong: wrong.status, wrongText, badQuery, right: right.status, rulesShown, gone, later, stats,
              cleared, after,
            }));
            session.close();
            """#
}
