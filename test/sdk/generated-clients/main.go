package main

import (
	"context"
	"fmt"
	"os"

	arden "example.com/arden/client"
)

func main() {
	configuration := arden.NewConfiguration()
	configuration.Servers = arden.ServerConfigurations{{URL: os.Getenv("ARDEN_URL")}}
	client := arden.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), arden.ContextAccessToken, os.Getenv("ARDEN_API_KEY"))
	created, _, err := client.ProjectsAPI.CreateProject(ctx).ProjectInput(*arden.NewProjectInput("From Go")).Execute()
	if err != nil {
		panic(err)
	}
	// An operation whose tag the webhooks of the document must not share.
	if _, _, err := client.EventsAPI.ListEvents(ctx).Execute(); err != nil {
		panic(err)
	}
	input := arden.NewWebhookInput("http://127.0.0.1:9/", []arden.Subscription{arden.SUBSCRIPTION_ARTICLE_CREATED})
	webhook, _, err := client.WebhooksAPI.CreateWebhook(ctx).WebhookInput(*input).Execute()
	if err != nil {
		panic(err)
	}
	// Without the empty body it sends null.
	sample, _, err := client.WebhooksAPI.TestWebhook(ctx, webhook.Data.Id).TestInput(arden.TestInput{}).Execute()
	if err != nil {
		panic(err)
	}
	fmt.Println(created.Data.Id, created.Data.Name, sample.Data.Test)
}
