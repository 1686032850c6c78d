"""A client of the service."""

ATTEMPTS = 3


def fetch(send, request):
    # what happens when a request fails and has to be sent again
    for attempt in range(ATTEMPTS):
        answer = send(request)
        if answer.status < 500:
            return answer
    return None
