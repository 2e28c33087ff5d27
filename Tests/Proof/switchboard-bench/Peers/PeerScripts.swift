/// The peers in other languages; arguments are URL, folder of keys, provider token, file of the body, pushes, streams.
enum PeerScripts {
    /// Node's own `http2`: one session, concurrent streams, each push to another device.
    static let node = #"""
        const http2 = require('node:http2'), fs = require('node:fs'), crypto = require('node:crypto');
        const [url, keys, token, bodyFile, count, streams] = process.argv.slice(2);
        const topic = JSON.parse(fs.readFileSync(keys + '/apns-key.json')).topic;
        const body = fs.readFileSync(bodyFile);
        const device = number => 'ab'.repeat(24) + (number % 10000).toString(16).padStart(16, '0');
        const session = http2.connect(url, { ca: fs.readFileSync(keys + '/ca.pem') });
        let sent = 0, answered = 0, accepted = 0, cpu, start;

        function push() {
          const id = crypto.randomUUID();
          const request = session.request({
            ':method': 'POST', ':path': '/3/device/' + device(sent++), authorization: 'bearer ' + token,
            'apns-topic': topic, 'apns-push-type': 'alert', 'apns-priority': '10', 'apns-expiration': '0',
            'apns-id': id, 'apns-collapse-id': id,
          });
          request.on('response', headers => { if (headers[':status'] === 200) accepted++; });
          request.on('end', () => {
            // The first alone: until then APNs allows one stream.
            const room = answered++ === 0 ? Number(streams) : 1;
            for (let more = 0; more < room && sent < count; more++) push();
            if (answered < count) return;
            const used = process.cpuUsage(cpu);
            console.log(JSON.stringify({ cpuSeconds: (used.user + used.system) / 1e6, accepted,
                                         wallSeconds: (performance.now() - start) / 1e3 }));
            session.close();
          });
          request.resume();
          request.end(body);
        }

        session.on('remoteSettings', () => {
          if (cpu) return;
          cpu = process.cpuUsage();
          start = performance.now();
          push();
        });

        """#

    /// `aioapns` over one connection; it signs its provider token itself.
    static let aioapns = #"""
        import asyncio, itertools, json, logging, ssl, sys, time
        from urllib.parse import urlparse
        from aioapns import APNs, NotificationRequest, PushType
        from aioapns import connection

        url, keys, _, body, count, streams = sys.argv[1:]
        count, streams = int(count), int(streams)
        address, key = urlparse(url), json.load(open(keys + "/apns-key.json"))
        connection.APNsProductionClientProtocol.APNS_SERVER = address.hostname
        connection.APNsProductionClientProtocol.APNS_PORT = address.port
        # It has something to say whenever all streams are taken.
        logging.disable(logging.CRITICAL)
        message = json.load(open(body))
        accepted = 0

        async def worker(client, numbers):
            global accepted
            for number in numbers:
                request = NotificationRequest(
                    device_token="ab" * 24 + "%016x" % (number % 10000), message=message, time_to_live=3600, priority=10,
                    collapse_key="conversation-%d" % (number % 1000), push_type=PushType.ALERT)
                result = await client.send_notification(request)
                accepted += result.is_successful

        async def main():
            context = ssl.create_default_context(cafile=keys + "/ca.pem")
            context.set_alpn_protocols(["h2"])
            client = APNs(key=open(keys + "/apns-key.p8").read(), key_id=key["keyId"], team_id=key["teamId"],
                          topic=key["topic"], max_connections=1, ssl_context=context)
            cpu, start = time.process_time(), time.monotonic()
            numbers = iter(range(count))
            await worker(client, itertools.islice(numbers, 1))
            await asyncio.gather(*(worker(client, numbers) for _ in range(streams)))
            print(json.dumps({"cpuSeconds": time.process_time() - cpu, "wallSeconds": time.monotonic() - start,
                              "accepted": accepted}), flush=True)

        asyncio.run(main())

        """#
}
