import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Java's client against the API without TLS: it asks for h2c with its first request, as it does by default. */
public final class Http2Client {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int number = 0; number < 3; number++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(arguments[0] + "/v1/brands"))
                .header("Authorization", "Bearer " + System.getenv("SWITCHBOARD_TOKEN"));
            HttpResponse<String> response =
                client.send(request.GET().build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(response.version() + " " + response.statusCode());
        }
    }
}
