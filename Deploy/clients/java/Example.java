import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import switchboard.SwitchboardClient;
import switchboard.SwitchboardException;
import switchboard.Webhook;

/**
 * Posts events and reads the feed, or verifies a webhook.
 *
 * <pre>
 * SWITCHBOARD_CREDENTIAL=sa_...:secret java -cp OUT Example http://127.0.0.1:8080 acme u-1
 * SWITCHBOARD_WEBHOOK_SECRET=whsec_... java -cp OUT Example --webhook FILE     # headers, an empty line, the body
 * </pre>
 */
public final class Example {
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("--webhook")) webhook(Path.of(arguments[1]));
        else run(arguments[0], arguments[1], arguments[2]);
    }

    private static void run(String server, String brand, String consumer) throws Exception {
        String[] credential = System.getenv("SWITCHBOARD_CREDENTIAL").split(":", 2);
        SwitchboardClient client = new SwitchboardClient(server, brand, credential[0], credential[1]);
        // The first read creates the subscription; items are stored from then on.
        long after = client.readFeed("java", new SwitchboardClient.FeedQuery(null, null, null, null, true)).nextAfter();

        String conversation = "c-" + UUID.randomUUID();
        Map<String, Object> event = event("evt-" + UUID.randomUUID(), "agent.message", consumer);
        event.put("conversation", conversation);
        event.put("text", "Your order has shipped.");
        SwitchboardClient.EventResult first = client.postEvent(event);
        System.out.printf("event: %s, sequence %d, unread %d%n", first.status(), first.sequence(), first.unread());
        SwitchboardClient.EventResult again = client.postEvent(event);
        boolean isSame = again.messageId().equals(first.messageId());
        System.out.printf("the same event: %s, %s message%n", again.status(), isSame ? "same" : "other");
        try {
            client.postEvent(event("evt-wrong", "agent.message", consumer));
        } catch (SwitchboardException.InvalidRequest error) {
            System.out.printf("without a text: %d %s, %s%n", error.status, error.code, error.errors.get(0).pointer());
        }
        Map<String, Object> resolved = event("evt-" + UUID.randomUUID(), "conversation.resolved", consumer);
        resolved.put("conversation", conversation);
        List<SwitchboardClient.EventResult> results =
            client.postEvents(List.of(resolved, event("evt-wrong", "agent.message", consumer)));
        System.out.println("batch: " + results.stream()
            .map(result -> result.error() == null ? result.status() : result.error().code).collect(Collectors.joining(", ")));

        while (true) {
            SwitchboardClient.FeedPage page = client.readFeed("java", SwitchboardClient.FeedQuery.after(after, 5));
            if (page.items().isEmpty()) throw new IllegalStateException("the feed has no item of the conversation");
            for (SwitchboardClient.Item item : page.items()) {
                if (item.type().equals("conversation.resolved") && conversation.equals(item.data().get("conversation"))) {
                    System.out.printf("feed: %s by %s%n", item.type(), item.data().get("by"));
                    client.acknowledge("java", item.position());
                    return;
                }
            }
            after = page.nextAfter();
        }
    }

    private static Map<String, Object> event(String id, String type, String consumer) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("id", id);
        event.put("type", type);
        event.put("consumer", consumer);
        return event;
    }

    private static void webhook(Path path) throws Exception {
        String[] parts = Files.readString(path).split("\n\n", 2);
        Map<String, String> headers = Arrays.stream(parts[0].split("\n")).map(line -> line.split(": ", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        List<String> secrets = List.of(System.getenv("SWITCHBOARD_WEBHOOK_SECRET"));
        byte[] body = parts[1].getBytes(StandardCharsets.UTF_8);
        System.out.println("webhook: " + Webhook.verify(secrets, headers, body, Instant.now()).get(0).type());
        try {
            Webhook.verify(secrets, headers, Arrays.copyOf(body, body.length + 1), Instant.now());
        } catch (SwitchboardException.InvalidSignature error) {
            System.out.println("webhook with another body: refused");
        }
    }
}
