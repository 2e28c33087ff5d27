package switchboard;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * A service account's calls within one brand: events, and the outbound feed. Threads may share it. Java 17, nothing but the standard
 * library. What may be repeated is repeated, as the gateway asks for it: events have ids, so that repeating them is safe.
 */
public final class SwitchboardClient {
    private static final String POST_EVENTS = "POST /v1/brands/{brand}/events";
    private static final String READ_OUTBOUND = "GET /v1/brands/{brand}/outbound/{subscription}";
    private static final String ACKNOWLEDGE_OUTBOUND = "POST /v1/brands/{brand}/outbound/{subscription}/ack";
    private static final int ATTEMPTS = 6;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
    private final String server;
    private final String brand;
    private final String authorization;

    /** The result of an event: status is accepted, duplicate or rejected; a rejected one has an error. */
    public record EventResult(
        String id, String status, String messageId, String conversation, Long sequence, Long unread, Long deliveries,
        List<String> warnings, SwitchboardException.Api error
    ) {
        static EventResult of(Object item) {
            Object problem = Json.member(item, "problem");
            Long status = Json.number(problem, "status");
            return new EventResult(
                Json.text(item, "id"), Json.text(item, "status"), Json.text(item, "messageId"), Json.text(item, "conversation"),
                Json.number(item, "sequence"), Json.number(item, "unread"), Json.number(item, "deliveries"),
                Json.list(item, "warnings").stream().map(String::valueOf).toList(),
                problem == null ? null : SwitchboardException.of(status == null ? 0 : status.intValue(), problem, null)
            );
        }
    }

    /** An item of the feed; the position is null for what is not stored (consumer.typing). */
    public record Item(Long position, String type, String time, Map<?, ?> data) {
        static Item of(Object item) {
            return new Item(
                Json.number(item, "position"), Json.text(item, "type"), Json.text(item, "time"),
                Json.member(item, "data") instanceof Map<?, ?> map ? map : Map.of()
            );
        }
    }

    /** Items of the feed; store nextAfter with what you made of them, and read on from there. */
    public record FeedPage(List<Item> items, long nextAfter, long end, boolean gap) {}

    /** The start and the limits of a read; null for the defaults of the gateway. */
    public record FeedQuery(Long after, Integer limit, Integer waitSeconds, List<String> types, boolean fromStart) {
        public static FeedQuery after(Long after, int waitSeconds) {
            return new FeedQuery(after, 200, waitSeconds, null, false);
        }
    }

    public SwitchboardClient(String server, String brand, String account, String secret) {
        this.server = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
        this.brand = brand;
        byte[] pair = (account + ":" + secret).getBytes(StandardCharsets.UTF_8);
        authorization = "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    /** Posts one event with an id of yours, and returns its result when it is on disk. Scope: events:write. */
    public EventResult postEvent(Map<String, ?> event) throws SwitchboardException, InterruptedException {
        Object response = call(POST_EVENTS, Map.of(), Map.of(), event, TIMEOUT);
        return EventResult.of(Json.list(response, "results").get(0));
    }

    /**
     * Posts at most 10,000 events, and returns a result for each, in their order. Events that the gateway had no room for are repeated
     * alone. One that stays rejected throws nothing: see its error.
     */
    public List<EventResult> postEvents(List<? extends Map<String, ?>> events) throws SwitchboardException, InterruptedException {
        EventResult[] results = new EventResult[events.size()];
        List<Integer> waiting = new ArrayList<>();
        for (int place = 0; place < results.length; place++) waiting.add(place);
        for (int attempt = 0; !waiting.isEmpty(); attempt++) {
            Object response = call(POST_EVENTS, Map.of(), Map.of(), waiting.stream().map(events::get).toList(), TIMEOUT);
            List<Object> found = Json.list(response, "results");
            List<Integer> again = new ArrayList<>();
            for (int i = 0; i < waiting.size(); i++) {
                EventResult result = EventResult.of(found.get(i));
                results[waiting.get(i)] = result;
                if (result.error() != null && result.error().retryable) again.add(waiting.get(i));
            }
            waiting = again;
            if (attempt + 1 == ATTEMPTS) break;
            if (!waiting.isEmpty()) Thread.sleep(delay(attempt, null));
        }
        return List.of(results);
    }

    /** Reads items after a position, or after the subscription's mark; waits for the first one. Scope: events:read. */
    public FeedPage readFeed(String subscription, FeedQuery query) throws SwitchboardException, InterruptedException {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query.after() != null) parameters.put("after", query.after().toString());
        if (query.limit() != null) parameters.put("limit", query.limit().toString());
        if (query.waitSeconds() != null) parameters.put("waitSeconds", query.waitSeconds().toString());
        if (query.types() != null && !query.types().isEmpty()) parameters.put("types", String.join(",", query.types()));
        if (query.fromStart()) parameters.put("from", "start");
        Duration timeout = TIMEOUT.plusSeconds(query.waitSeconds() == null ? 0 : query.waitSeconds());
        Object page = call(READ_OUTBOUND, Map.of("subscription", subscription), parameters, null, timeout);
        return new FeedPage(
            Json.list(page, "items").stream().map(Item::of).toList(), Json.number(page, "nextAfter"), Json.number(page, "end"),
            Boolean.TRUE.equals(Json.member(page, "gap"))
        );
    }

    /** Moves the subscription's mark: items up to it need not be stored any more. Scope: events:read. */
    public void acknowledge(String subscription, long upTo) throws SwitchboardException, InterruptedException {
        call(ACKNOWLEDGE_OUTBOUND, Map.of("subscription", subscription), Map.of(), Map.of("upTo", upTo), TIMEOUT);
    }

    private Object call(String route, Map<String, String> names, Map<String, String> query, Object body, Duration timeout)
        throws SwitchboardException, InterruptedException {
        String[] words = route.split(" ");
        String path = words[1].replace("{brand}", encode(brand));
        for (Map.Entry<String, String> name : names.entrySet()) {
            path = path.replace("{" + name.getKey() + "}", encode(name.getValue()));
        }
        String parameters = query.entrySet().stream().map(one -> one.getKey() + "=" + encode(one.getValue()))
            .collect(Collectors.joining("&"));
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(server + path + (parameters.isEmpty() ? "" : "?" + parameters)))
            .timeout(timeout).header("Authorization", authorization).header("Accept", "application/json");
        if (body != null) builder.header("Content-Type", "application/json");
        HttpRequest request = builder.method(
            words[0],
            body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(Json.write(body))
        ).build();
        for (int attempt = 0;; attempt++) {
            SwitchboardException error;
            Long retryAfter = null;
            boolean isRetryable = true;
            try {
                HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() / 100 == 2) return Json.parse(response.body());
                SwitchboardException.Api problem = error(response);
                error = problem;
                retryAfter = problem.retryAfter;
                isRetryable = problem.retryable;
            } catch (IOException | IllegalArgumentException cause) {
                error = new SwitchboardException.Unreachable(request.uri() + ": " + cause, cause);
            }
            if (!isRetryable || attempt + 1 == ATTEMPTS) throw error;
            Thread.sleep(delay(attempt, retryAfter));
        }
    }

    private static SwitchboardException.Api error(HttpResponse<String> response) {
        int status = response.statusCode();
        String after = response.headers().firstValue("Retry-After").orElse("");
        Long retryAfter = after.matches("[0-9]{1,9}") ? Long.valueOf(after) : null;
        try {
            Object problem = Json.parse(response.body());
            if (Json.text(problem, "code") != null) return SwitchboardException.of(status, problem, retryAfter);
        } catch (IllegalArgumentException e) {
            // Of a proxy in between.
        }
        boolean isRetryable = status == 429 || status == 502 || status == 503 || status == 504;
        return SwitchboardException.of(status, Map.of("code", "", "detail", response.body(), "retryable", isRetryable), retryAfter);
    }

    /** 0.25, 0.5, 1, 2, 4 s and so on, or as long as the gateway says; spread, so that callers do not come at once. */
    private static long delay(int attempt, Long retryAfter) {
        long milliseconds = retryAfter == null ? Math.min(30_000, 250L << attempt) : retryAfter * 1000;
        return (long) (milliseconds * ThreadLocalRandom.current().nextDouble(1.0, 1.25));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
