"""Check the line: the engineer's application asks us, we ask the seller."""

from http import HTTPStatus

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor
from engineers.throttling import RateLimit
from phone.api_view import ApiRefusal, PhoneView
from phone.line_results import serialize_line_check
from seller_link.line_check import LineCheckUnavailable, check_line


class LineCheckView(PhoneView):
    rate_limit = RateLimit("phone_line_check", 30)

    def post(self, _request: Request, job_id: str) -> Response:
        """Have the seller test the line of an own job now. 422 where there is no result, with the reason as `error`:
        the visit goes on. A repetition within seconds is answered with the same result."""
        job = Job.objects.for_engineer(self.engineer).filter(provider_job_id=job_id).first()
        if job is None:
            raise Http404
        try:
            check = check_line(job, by=Performer(Actor.ENGINEER, self.engineer.user))
        except LineCheckUnavailable as unavailable:
            message = f"{unavailable.text} {_('Carry on with the visit.')}"
            raise ApiRefusal(
                HTTPStatus.UNPROCESSABLE_ENTITY, unavailable.reason.value, message, where="line"
            ) from unavailable
        return Response({"line_check": serialize_line_check(check)})
