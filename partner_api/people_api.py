"""Engineers, areas, and who works when."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from engineers.models import Area, Engineer, EngineerQuerySet
from engineers.shifts import day_span, working_spans
from partner_api import access_tokens
from partner_api.api_view import PartnerApiView
from partner_api.models import AccessToken, Scope
from partner_api.pages import PageQuerySerializer, QueryDayField, UtcMomentField, read_page

MOST_DAYS = 31


class HeldSkillSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(source="skill.code")
    expires_on = serializers.DateField(allow_null=True, help_text="The last day on which it counts.")


class EngineerSerializer(serializers.Serializer[Any]):
    staff_number = serializers.CharField()
    name = serializers.CharField()
    phone = serializers.CharField(allow_blank=True)
    is_active = serializers.BooleanField(source="user.is_active")
    areas = serializers.ListField(
        child=serializers.CharField(), source="area_names", help_text="Names, the main area first."
    )
    skills = HeldSkillSerializer(many=True, source="held_skills")


class AreaSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    postcodes = serializers.SerializerMethodField(help_text="Outward codes and postcode areas.")

    def get_postcodes(self, area: Area) -> list[str]:
        return area.postcodes.split()


class ShiftQuerySerializer(PageQuerySerializer):
    first = QueryDayField(help_text="The first day.")
    last = QueryDayField(help_text=f"The last day; at most {MOST_DAYS} days.")
    engineer = serializers.CharField(required=False, help_text="Staff number.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        days = (attrs["last"] - attrs["first"]).days + 1
        if not 1 <= days <= MOST_DAYS:
            text = _("Choose a last day that is not before the first, at most %(most)d days in all.")
            raise serializers.ValidationError({"last": [text % {"most": MOST_DAYS}]})
        return attrs


class WorkingSpanSerializer(serializers.Serializer[Any]):
    start = UtcMomentField()
    end = UtcMomentField()


class WorkingDaySerializer(serializers.Serializer[Any]):
    """`spans` is empty where the engineer does not work; breaks and absences are cut out."""

    day = serializers.DateField()
    spans = WorkingSpanSerializer(many=True)


class EngineerShiftsSerializer(serializers.Serializer[Any]):
    engineer = serializers.CharField(help_text="Staff number.")
    days = WorkingDaySerializer(many=True)


class EngineerListView(PartnerApiView):
    scope = Scope.ENGINEERS_READ
    query_serializer = PageQuerySerializer

    def get(self, request: Request) -> HttpResponseBase:
        """A page of engineers, the suspended ones included."""
        query = self.read_query()
        engineers = readable_engineers(self.token).select_related("user", "area")
        found = engineers.prefetch_related("further_areas", "held_skills__skill")
        page = read_page(found, query, request)
        access_tokens.record_engineers_read(self.token, "engineers_read_by_token")
        return self.answer({"engineers": EngineerSerializer(page.rows, many=True).data, "next": page.next})


class AreaListView(PartnerApiView):
    scope = Scope.ENGINEERS_READ

    def get(self, _request: Request) -> HttpResponseBase:
        """All areas that the token reads."""
        self.read_query()
        areas = self.token.areas.all() if self.token.is_limited_to_areas else Area.objects.all()
        return self.answer({"areas": AreaSerializer(areas, many=True).data})


class ShiftListView(PartnerApiView):
    scope = Scope.SHIFTS_READ
    query_serializer = ShiftQuerySerializer

    def get(self, request: Request) -> HttpResponseBase:
        """When each active engineer works, from pattern, single days and absences; a page counts engineers."""
        query = self.read_query()
        engineers = readable_engineers(self.token).active()
        if "engineer" in query:
            engineers = engineers.filter(staff_number__iexact=query["engineer"])
        found = engineers.prefetch_related("shifts", "shift_exceptions", "absences")
        page = read_page(found, query, request)
        access_tokens.record_engineers_read(self.token, "shifts_read_by_token")
        days = list(_days(query["first"], query["last"]))
        shifts = [
            {"engineer": engineer.staff_number, "days": [_working_day(engineer, day) for day in days]}
            for engineer in page.rows
        ]
        return self.answer({"shifts": EngineerShiftsSerializer(shifts, many=True).data, "next": page.next})


def readable_engineers(token: AccessToken) -> EngineerQuerySet:
    """Those whose main area or one of whose further areas the token reads."""
    engineers = Engineer.objects.all()
    if not token.is_limited_to_areas:
        return engineers
    areas = [area.pk for area in token.areas.all()]
    further = Engineer.further_areas.through.objects.filter(area__in=areas)
    return engineers.filter(Q(area__in=areas) | Q(pk__in=further.values("engineer")))


def _days(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + timedelta(days=number)


def _working_day(engineer: Engineer, day: date) -> dict[str, Any]:
    span = day_span(day)
    absences = [
        absence
        for absence in engineer.absences.all()
        if absence.starts_at < span.end + timedelta(days=1) and absence.ends_at > span.start
    ]
    spans = working_spans(
        shifts=engineer.shifts.all(), exceptions=engineer.shift_exceptions.all(), absences=absences, day=day
    )
    return {"day": day, "spans": spans}
