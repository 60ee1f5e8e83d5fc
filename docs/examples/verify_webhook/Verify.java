import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verify {
  /** Tells whether a body is signed with a secret, and not long ago. */
  static boolean verify(String secret, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
    if (Math.abs(age) > 300) return false;
    byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    for (String signature : signatures.split(" ")) {
      if (MessageDigest.isEqual(signature.getBytes(), expected.getBytes())) return true;
    }
    return false;
  }

  public static void main(String[] args) throws GeneralSecurityException {
    byte[] body = args[4].getBytes(StandardCharsets.UTF_8);
    System.out.println(
        verify(args[0], args[1], args[2], args[3], body) ? "verified" : "refused");
  }
}
