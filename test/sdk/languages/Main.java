import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

final class Main {
    public static void main(String[] args) throws Exception {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] fields = lines.nextLine().split("\t");
            Map<String, String> headers = new HashMap<>();
            for (int i = 3; i < fields.length; i += 2) {
                headers.put(fields[i], fields[i + 1]);
            }
            Duration maxAge = fields[1].isEmpty() ? null : Duration.ofSeconds(Long.parseLong(fields[1]));
            System.out.println(Webhooks.isGenuine(
                    Base64.getDecoder().decode(fields[0]), headers, List.of(fields[2].split(" ")), maxAge));
        }
    }
}
