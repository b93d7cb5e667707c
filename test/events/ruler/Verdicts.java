// Asks Event Ruler: reads a list of cases {name, rule, event} from a file, and prints for each one a line, true or false; a rule
// that Ruler refuses is printed as "refused".

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import software.amazon.event.ruler.Machine;

public class Verdicts {
  public static void main(String[] arguments) throws Exception {
    for (JsonNode one : new ObjectMapper().readTree(new File(arguments[0]))) {
      System.out.println(verdict(one.get("rule").toString(), one.get("event").toString()));
    }
  }

  private static String verdict(String rule, String event) throws Exception {
    Machine machine = new Machine();
    try {
      machine.addRule("rule", rule);
    } catch (Exception refusal) {
      return "refused";
    }
    return String.valueOf(!machine.rulesForJSONEvent(event).isEmpty());
  }
}
