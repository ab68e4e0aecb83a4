/** Shows: a call that is repeated after some failures and not after others. */
import { z } from "zod";
import { eq, http, workflow } from "sluice/workflow";

export default workflow("get-pet", { args: z.object({ pet: z.number().default(7) }) }, ({ args }) => {
  http("get_pet", {
    url: `https://petstore.example.com/pet/${args.pet}`,
    on_failure: {
      retry: { attempts: 5, backoff_ms: 3000, max_backoff_ms: 60000, if: (error) => eq(error.class, "provider_error") },
    },
  });
});
