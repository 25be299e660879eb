import os
from datetime import datetime, timedelta, timezone

import openapi_client as arden

configuration = arden.Configuration(
    host=os.environ["ARDEN_URL"], access_token=os.environ["ARDEN_API_KEY"]
)
with arden.ApiClient(configuration) as client:
    projects, articles = arden.ProjectsApi(client), arden.ArticlesApi(client)
    project = projects.create_project(arden.ProjectInput(name=" Blog")).data
    # A title that begins with a space, and a time whose offset has no colon.
    articles.create_article(arden.ArticleInput(project_id=project.id, title=" led"))
    hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
    [article] = articles.list_articles(project_id=project.id, created_after=hour_ago).data
    archive = articles.export_articles(project_id=project.id)
    [event, *_] = arden.EventsApi(client).list_events(created_after=hour_ago).data
    deleted = projects.delete_project(project.id).data.deleted
    print(article.title, event.event.value, archive[:2].decode(), deleted)
