package switchboard;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of webhooks (Standard Webhooks). */
public final class Webhook {
    private static final Duration TOLERANCE = Duration.ofSeconds(300);

    private Webhook() {}

    /**
     * Checks the signature of a webhook, and returns its items. Process each `webhook-id` once.
     *
     * @param secrets one secret, `whsec_` and base64, or several while one is replaced
     * @param headers names are compared without case
     * @param body the bytes as they came
     */
    public static List<SwitchboardClient.Item> verify(List<String> secrets, Map<String, String> headers, byte[] body, Instant now)
        throws SwitchboardException.InvalidSignature {
        Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        found.putAll(headers);
        String id = found.getOrDefault("webhook-id", "");
        String timestamp = found.getOrDefault("webhook-timestamp", "");
        if (id.isEmpty() || !timestamp.matches("[0-9]{1,12}")) {
            throw new SwitchboardException.InvalidSignature("webhook-id or webhook-timestamp is missing");
        }
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now).abs();
        if (age.compareTo(TOLERANCE) > 0) throw new SwitchboardException.InvalidSignature("webhook-timestamp is too far away");

        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        signed.writeBytes(body);
        for (String secret : secrets) {
            byte[] expected = sign(secret, signed.toByteArray());
            for (String given : found.getOrDefault("webhook-signature", "").split(" ")) {
                if (MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) return items(body);
            }
        }
        throw new SwitchboardException.InvalidSignature("no signature fits");
    }

    private static byte[] sign(String secret, byte[] signed) {
        String key = secret.startsWith("whsec_") ? secret.substring("whsec_".length()) : secret;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(key), "HmacSHA256"));
            return ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed))).getBytes(StandardCharsets.UTF_8);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<SwitchboardClient.Item> items(byte[] body) {
        Object batch = Json.parse(new String(body, StandardCharsets.UTF_8));
        return new ArrayList<>(Json.list(batch, "items").stream().map(SwitchboardClient.Item::of).toList());
    }
}
