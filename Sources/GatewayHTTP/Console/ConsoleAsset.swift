internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TextFormats

/// A file that the pages load, from memory: only those of the table have a name.
struct ConsoleAsset: Sendable {
    private let contentType: String
    private let text: String
    private let tag: EntityTag

    private init(_ contentType: String, _ text: String) {
        self.contentType = contentType
        self.text = text
        tag = EntityTag(of: Data(text.utf8))
    }

    private static let all: [BoundedName: ConsoleAsset] = [
        "console.css": ConsoleAsset("text/css; charset=utf-8", styles),
        "console.js": ConsoleAsset("text/javascript; charset=utf-8", script),
        "tail.js": ConsoleAsset("text/javascript; charset=utf-8", tail),
        "icon.svg": ConsoleAsset("image/svg+xml", icon),
    ]

    /// The query that names the content of this version.
    private var version: String { "v=" + tag.text.dropFirst().dropLast() }

    /// Returns the path of a file with its version, under which a browser keeps it: a style sheet that must be asked for
    /// delays each page.
    static func path(_ name: BoundedName) -> String {
        "/console/assets/" + name.text + (all[name].map { "?" + $0.version } ?? "")
    }

    /// Returns a file; 304 when the caller has it already.
    static func response(_ call: Call) throws -> Response {
        guard let asset = BoundedName(try call.segment("name")).flatMap({ all[$0] }) else {
            throw Problem.notFound("file")
        }
        let known = call.request.headers[.ifNoneMatch] ?? ""
        if asset.tag.isNamed(in: known, weakly: true) {
            return Response(status: .notModified, headers: [.eTag: asset.tag.text, .cacheControl: "no-cache"])
        }
        let isOfVersion = call.request.uri.query?.hasSameBytes(as: asset.version) ?? false
        let body = ByteBuffer(string: asset.text)
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.contentType, .contentLength: String(body.readableBytes), .eTag: asset.tag.text,
                // RFC 8246: it never changes.
                .cacheControl: isOfVersion ? "public, max-age=31536000, immutable" : "no-cache",
            ],
            body: ResponseBody(byteBuffer: body)
        )
    }

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#15616d"/>\
        <path d="M4 5h8M4 8h5M4 11h8" stroke="#fff" stroke-width="1.5"/></svg>
        """

    private static let styles = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #c9ced6; --edge: #767d88; --soft: #f2f4f7;
          --link: #0b5563; --bad: #a4161a; --good: #1b6b3a }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e8eb; --paper: #14171b; --line: #414954; --edge: #7d8794; --soft: #1f242b; --link: #7cc7d4;
            --bad: #ff8a80; --good: #7fd6a0 }
        }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
        a { color: var(--link) }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
        .skip, .pace label { position: absolute; left: -100rem }
        .skip:focus { left: 0.5rem; top: 0.5rem; background: var(--paper); padding: 0.5rem }
        header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; padding: 0.5rem 1rem;
          background: var(--soft); border-bottom: 1px solid var(--line) }
        header p, header ul { margin: 0; padding: 0 }
        nav ul { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none }
        [aria-current] { font-weight: bold; text-decoration: none }
        header form:last-child { margin-left: auto }
        main { padding: 0 1rem 2rem }
        h1 { font-size: 1.5rem }
        h2 { font-size: 1.2rem }
        .filter { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: end }
        .filter p { margin: 0.25rem 0 }
        main label { display: block }
        .filter label { font-size: 0.875rem }
        input, select, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge);
          border-radius: 4px; padding: 0.25rem 0.5rem; min-height: 2.25rem }
        #search { width: 11rem }
        #reason { width: min(100%, 32rem) }
        button { background: var(--soft); cursor: pointer }
        .scroll { overflow-x: auto; font-size: 0.875rem }
        table { border-spacing: 0; width: 100%; margin: 1rem 0 }
        caption { text-align: left; font-weight: bold; font-size: 1rem }
        th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.625rem 0.25rem 0;
          border-bottom: 1px solid var(--line); white-space: nowrap }
        thead th { white-space: normal; vertical-align: bottom }
        td.words, td.text { white-space: normal }
        td.text { min-width: 11rem; max-width: 32rem; overflow-wrap: anywhere }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem }
        dt { font-weight: bold }
        dd { margin: 0; overflow-wrap: anywhere }
        .verdict, [role=alert] { border-left: 4px solid var(--link); padding: 0.5rem 1rem; background: var(--soft) }
        [role=alert] { border-color: var(--bad) }
        [role=alert] p { margin: 0 }
        .failed, .expired, .stopped, .unreachable, .closed, .suspended, .burning { color: var(--bad) }
        .accepted, .delivered, .tapped, .met { color: var(--good) }
        figure { margin: 1rem 0 }
        figcaption { font-size: 0.875rem }
        rect.all { fill: var(--link) }
        rect.failed { fill: var(--bad) }
        rect.target { fill: var(--ink) }
        rect.brush { fill: var(--ink); opacity: 0.2; pointer-events: none }
        figure svg { touch-action: pan-y; user-select: none }
        .bar { vertical-align: middle }
        .phone { border: 1px solid var(--line); border-radius: 12px; padding: 0 1rem; max-width: 24rem }
        .phone p { white-space: pre-wrap; overflow-wrap: anywhere }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: 1rem }
        @media (max-width: 40rem) {
          .filter p { flex: 1 1 9rem }
          .filter input, .filter select { width: 100% }
          thead th { white-space: nowrap }
        }
        """

    /// Draws a range of time over a histogram, which becomes that of the list; copies commands; and keeps push tokens out of
    /// addresses.
    ///
    /// Without it the bars are links, and the commands can be selected.
    private static let script = """
        const chart = document.querySelector('#histogram svg'), brush = document.getElementById('brush');
        if (chart) {
          const bars = Number(chart.dataset.bars), first = Number(chart.dataset.first), width = Number(chart.dataset.width);
          let from = null;
          const bar = (event) => {
            const box = chart.getBoundingClientRect();
            return Math.max(0, Math.min(bars - 1, Math.floor((event.clientX - box.left) / box.width * bars)));
          };
          const range = (event) => {
            const to = bar(event);
            return [Math.min(from, to), Math.max(from, to)];
          };
          const draw = (start, count) => {
            brush.setAttribute('x', start * 20);
            brush.setAttribute('width', count * 20);
          };
          chart.addEventListener('dragstart', (event) => event.preventDefault());
          chart.addEventListener('pointerdown', (event) => { if (event.button === 0) from = bar(event); });
          addEventListener('pointermove', (event) => {
            if (from === null) return;
            const [start, end] = range(event);
            draw(start, end > start ? end - start + 1 : 0);
          });
          addEventListener('pointercancel', () => { from = null; draw(0, 0); });
          addEventListener('pointerup', (event) => {
            if (from === null) return;
            const [start, end] = range(event);
            from = null;
            // A click on one bar follows its link.
            if (start === end) return draw(0, 0);
            const url = new URL(chart.dataset.page, location.href);
            url.searchParams.set('since', new Date(first + start * width).toISOString());
            url.searchParams.set('until', new Date(first + (end + 1) * width).toISOString());
            location.assign(url);
          });
        }

        // A long text may be a push token, which is in no address then.
        for (const form of document.querySelectorAll('form[role=search], #narrow')) {
          form.addEventListener('submit', () => { form.method = form.elements.q.value.length < 60 ? 'get' : 'post'; });
        }

        for (const button of document.querySelectorAll('button[data-copy]')) {
          // Browsers have a clipboard over HTTPS and on this host only.
          button.hidden = !navigator.clipboard;
          button.addEventListener('click', async () => {
            await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
            button.textContent = 'Copied';
          });
        }
        """

    /// Shows the stream: texts become text nodes, never markup.
    ///
    /// Deliveries that arrive during a pause are kept, up to a limit; then reading stops, and continues there after the pause.
    private static let tail = """
        const table = document.getElementById('tail'), body = table.tBodies[0];
        const pause = document.getElementById('pause'), status = document.getElementById('status');
        const most = 500;
        const waiting = new Map();
        let isPaused = false, state = 'Connecting.', source = null, last = '';

        function report() {
          const parts = [state];
          if (isPaused) parts.push(`Paused, ${waiting.size} waiting${source ? '' : ', more in the gateway'}.`);
          status.textContent = parts.join(' ');
        }

        function show(item) {
          const row = document.createElement('tr'), id = `delivery-${item.id}`;
          document.getElementById(id)?.remove();
          row.id = id;
          const response = [item.status, item.reason, item.suppressedBy].filter((part) => part != null).join(' ');
          const cells = [item.sentAt ?? item.queuedAt, item.id, item.state, item.consumer, item.deviceId, item.app,
            item.provider, response];
          cells.forEach((text, index) => {
            const cell = document.createElement('td');
            if (index === 1) {
              const link = document.createElement('a');
              link.href = table.dataset.page + encodeURIComponent(text);
              link.textContent = text;
              cell.append(link);
            } else {
              cell.textContent = text ?? '–';
            }
            if (index === 2) cell.className = `state ${text}`;
            row.append(cell);
          });
          body.prepend(row);
          if (body.rows.length > most) body.lastElementChild.remove();
        }

        function connect() {
          const url = new URL(table.dataset.stream, location.href);
          if (last) url.searchParams.set('after', last);
          const stream = source = new EventSource(url);
          stream.addEventListener('open', () => { state = 'Connected.'; report(); });
          stream.addEventListener('error', () => {
            state = stream.readyState === EventSource.CLOSED
              ? 'The stream ended: load the page again.' : 'Connecting again.';
            report();
          });
          stream.addEventListener('delivery', (event) => {
            // What was read before the stream was closed may still arrive.
            if (source !== stream) return;
            last = event.lastEventId;
            const item = JSON.parse(event.data);
            if (!isPaused) return show(item);
            waiting.delete(item.id);
            waiting.set(item.id, item);
            if (waiting.size >= 10 * most) {
              stream.close();
              source = null;
            }
            report();
          });
        }

        pause.addEventListener('click', () => {
          isPaused = !isPaused;
          pause.setAttribute('aria-pressed', String(isPaused));
          if (!isPaused) {
            waiting.forEach((item) => show(item));
            waiting.clear();
            if (!source) connect();
          }
          report();
        });
        document.getElementById('clear').addEventListener('click', () => body.replaceChildren());
        connect();
        report();
        """
}
